import JSONTree
import Journaling
import TestSupport
import Testing

/// The order of members has no meaning, and a state is always sent in the same one.
@Suite struct MemberOrderTests {
    private static let count = 129

    /// An object whose members are in the reverse order of their names.
    private static func object(_ count: Int) -> String {
        let members = (0..<count).reversed().map { "\"m\(1_000 + $0)\":\($0)" }
        return "{\(members.joined(separator: ","))}"
    }

    @Test func `a PUT of another order changes nothing, and a member that comes back is the last`()
        throws
    {
        let daemon = try LocalDaemon()
        try daemon.put(#"{"b":1,"a":2,"c":3}"#)
        let same = try daemon.menu("PUT", "", #"{"a":2,"b":1,"c":3}"#).json
        #expect(same["change"] == .null && same["revision"] == 0)
        #expect(try daemon.menu("GET").text == #"{"b":1,"a":2,"c":3}"# + "\n")
        try daemon.succeed("PATCH", "", #"{"b":null}"#, LocalDaemon.merge)
        try daemon.undo()
        #expect(try daemon.menu("GET").text == #"{"a":2,"c":3,"b":1}"# + "\n")
    }

    @Test func `a state is sent in one order, whenever it is read and whoever reads it`() throws {
        let journal = InMemoryJournal()
        let daemon = try LocalDaemon(journal: journal)
        var sent: [String] = []
        func note(_ answer: Answer) throws {
            #expect((200..<300).contains(answer.status), "\(answer.text)")
            sent.append(try daemon.menu("GET").text)
        }
        try note(try daemon.menu("PUT", "", MemberOrderTests.object(MemberOrderTests.count - 1)))
        #expect(sent[0].hasPrefix(#"{"m1127":127,"#))
        let edits = [
            #"{"a new one":1}"#, #"{"m1005":null}"#, #"{"m1007":null,"m1008":null}"#,
            #"{"m1010":{"z":1,"a":2}}"#, #"{"m1010":{"z":null}}"#,
        ]
        for edit in edits {
            try note(try daemon.menu("PATCH", "", edit, LocalDaemon.merge.by("ada")))
        }
        #expect(sent[1].hasPrefix(#"{"a new one":1,"m1000":0,"#), "129 are sorted")
        for _ in edits.dropLast() { try note(try daemon.menu("POST", "/undo")) }
        for _ in 0..<2 { try note(try daemon.menu("POST", "/redo")) }
        try note(try daemon.menu("POST", "/undo", #"{"actor":"ada"}"#))
        try note(try daemon.menu("POST", "/goto", #"{"to":"version:0"}"#))
        let later = try LocalDaemon(journal: journal)
        for (revision, text) in sent.enumerated() {
            #expect(try daemon.menu("GET", "?at=\(revision)").text == text, "\(revision)")
            #expect(try later.menu("GET", "?at=\(revision)").text == text, "\(revision)")
        }
        #expect(try later.menu("GET").text == sent.last)
    }
}
