import AgentTools
import HTTPCalling
import JSONTree

// The reads that commands share.

extension Session {
    /// All elements of a list, page after page, up to `limit`.
    func pages(
        _ path: String, _ query: [(String, String)], _ list: String, _ limit: Int? = nil,
        size: Int = 1_000, _ body: (JSON) throws(Trouble) -> Void
    ) throws(Trouble) {
        var left = limit ?? Int.max
        var cursor: String?
        while left > 0 {
            let part = given(("limit", "\(min(left, size))"), ("cursor", cursor))
            let page = try json(path, query + part)
            for element in page[list]?.elements ?? [] where left > 0 {
                try body(element)
                left -= 1
            }
            guard let next = page["next"], next.kind != .null else { return }
            cursor = next.string ?? next.text
        }
    }

    func json(
        of document: DocumentAddress, _ path: String, _ query: [(String, String)] = []
    ) throws(Trouble) -> JSON {
        try found(document.name, try json(document.path + path, query))
    }

    /// Prints a list that a document has, as a table.
    func table(
        of document: DocumentAddress, _ list: String, row: (JSON) -> [String]
    ) throws(Trouble) {
        let found = try json(of: document, "/" + list)[list]?.elements ?? []
        if options.json { return found.forEach { screen.line($0.text) } }
        Table.lines(found.map(row)).forEach { screen.line($0) }
    }

    /// Reads a document. If it does not exist, the error suggests a similar name.
    func found<Result>(
        _ name: String, _ body: @autoclosure () throws(Trouble) -> Result
    ) throws(Trouble) -> Result {
        do throws(Trouble) { return try body() } catch {
            guard error.code == "unknown-document" else { throw error }
            throw Trouble(
                .notThere, "The document \(name) does not exist.",
                hint: similar(to: name).map { "Did you mean \($0)?" }
                    ?? "versionctl put \(name) creates it; versionctl ls lists documents."
            )
        }
    }

    /// Creates a document. If the name is in use, the error says so.
    func made<Result>(
        _ name: String, hint: String, _ body: @autoclosure () throws(Trouble) -> Result
    ) throws(Trouble) -> Result {
        do throws(Trouble) { return try body() } catch {
            guard error.code == "stale-revision" else { throw error }
            throw Trouble(.conflict, "The document \(name) already exists.", hint: hint)
        }
    }

    /// The document whose name is least different, if two letters at most are.
    private func similar(to name: String) -> String? {
        let query = [("prefix", String(name.prefix(1))), ("limit", "1000")]
        let found = try? json("/v1/documents", query)
        let names = found?["documents"]?.elements?.compactMap { $0["document"]?.string } ?? []
        return NearName.nearest(to: name, among: names)
    }
}

extension JSON {
    /// In one line.
    var text: String { String(decoding: serialized(), as: UTF8.self) }
}
