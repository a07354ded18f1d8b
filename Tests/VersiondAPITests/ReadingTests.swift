import JSONTree
import Testing

/// Reading a document, or a place in it.
@Suite struct ReadingTests {
    @Test func `a place in a large document is read, however large it is itself`() throws {
        let daemon = try LocalDaemon()
        let long = String(repeating: "0123456789", count: 20_000)
        try daemon.put(#"{"small":[1,2],"long":"\#(long)"}"#)
        let small = try daemon.menu("GET", "?path=/small")
        #expect(small.text == "[1,2]\n" && small["etag"] == "\"0\"")
        #expect(try JSON(parsing: daemon.menu("GET", "?path=/long").body) == JSON(long))
        let text = try daemon.menu("GET", "?path=/long", nil, ["Accept": "text/plain"])
        #expect(text.text == long + "\n" || text.text == long)
        #expect(try daemon.menu("GET", "?path=/none").status == 404)
        let unchanged = try daemon.menu("GET", "?path=/long", nil, ["If-None-Match": "\"0\""])
        #expect(unchanged.status == 304 && unchanged.body.isEmpty)
    }
}
