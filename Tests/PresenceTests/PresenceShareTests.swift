import Journaling
import Naming
import TestSupport
import Testing

@testable import Presence

/// Rule 22: presence is bounded, and no owner of clients locks out another one.
@Suite struct PresenceShareTests {
    private let time = TestLock(1_000_000)
    private let hub: PresenceHub
    private let note: DocumentID

    init() throws {
        hub = PresenceHub(hasThread: false) { [time] in time.withLock { $0 } }
        note = try #require(DocumentID("note"))
    }

    private func set(
        _ client: String, of owner: String, in document: DocumentID? = nil, bytes: Int = 2
    ) throws(PresenceError) {
        try hub.set(
            document ?? note, Name(client), actor: Name(owner), owner: Name(owner),
            state: [UInt8](repeating: 0x31, count: bytes), revision: nil, milliseconds: 30_000)
    }

    /// How many clients an owner gets into the document until it is refused.
    private func fill(_ owner: String) -> Int {
        var count = 0
        while (try? set("\(owner)-\(count)", of: owner)) != nil { count += 1 }
        return count
    }

    /// How many bytes an owner gets in documents of its own until it is refused.
    private func fillBytes(_ owner: String) throws -> Int {
        let before = hub.figures.bytes
        for number in 0... {
            let document = try #require(DocumentID("\(owner)\(number)"))
            do throws(PresenceError) {
                try set("client", of: owner, in: document, bytes: Present.stateBytesMax)
            } catch {
                guard case .tooManyBytes(let own) = error else { throw error }
                #expect(own == hub.figures.bytes - before)
                return own
            }
        }
        return 0
    }

    @Test func `22: an owner has at most as many clients in a document as it leaves to others`()
        throws
    {
        #expect(PresenceRoom.clientsMax == 512)
        #expect(fill("ada") == 256)
        #expect(throws: PresenceError.tooManyClients(own: 256)) { try set("one more", of: "ada") }
        try set("ada-7", of: "ada", bytes: 5)
        #expect(fill("bob") == 128)
        for number in 0..<50 { try set("other-\(number)", of: "owner \(number)") }
        #expect(hub.all(in: note).count == 256 + 128 + 50)
        try hub.remove(note, Name("bob-0"), owner: Name("bob"))
        #expect(throws: PresenceError.tooManyClients(own: 127)) { try set("again", of: "bob") }
        #expect(throws: PresenceError.tooManyClients(own: 256)) { try set("again", of: "ada") }
        // Those that leave make room.
        time.withLock { $0 += 30_000 }
        _ = hub.step()
        #expect(fill("bob") == 256)
    }

    @Test func `22: a document has no more clients than may be in it, of as many owners`() throws {
        for number in 0..<511 { try set("client \(number)", of: "owner \(number)") }
        #expect(throws: PresenceError.tooManyClients(own: 0)) { try set("last", of: "nobody yet") }
        #expect(throws: PresenceError.tooManyClients(own: 1)) { try set("second", of: "owner 0") }
        try set("client 0", of: "owner 0", bytes: 3)
    }

    @Test func `22: what an owner shows takes at most as much memory as it leaves to others`()
        throws
    {
        let half = PresenceHub.bytesMax / 2
        let weight = 4_096
        #expect((half - weight...half).contains(try fillBytes("ada")))
        #expect((half / 2 - weight...half / 2).contains(try fillBytes("bob")))
        try set("client", of: "eve")
        // Existing states may change, but not grow.
        let first = try #require(DocumentID("ada0"))
        try set("client", of: "ada", in: first, bytes: Present.stateBytesMax - 1)
        #expect(throws: PresenceError.self) {
            try set("client", of: "ada", in: first, bytes: Present.stateBytesMax + weight)
        }
        #expect(hub.figures.bytes <= PresenceHub.bytesMax)
        time.withLock { $0 += 30_000 }
        _ = hub.step()
        #expect(hub.figures.bytes == 0)
        #expect((half - weight...half).contains(try fillBytes("bob")))
    }

    @Test func `22: what other daemons tell takes no more than its share`() throws {
        let half = PresenceHub.bytesMax / 2
        for number in 0..<9_000 {
            let document = try #require(DocumentID("d\(number)"))
            hub.hear([
                SharedPresence(
                    document: document, client: Name("client"), actor: Name("ada"),
                    owner: Name("ada"),
                    state: [UInt8](repeating: 0x31, count: Present.stateBytesMax), revision: nil,
                    stamp: 1, milliseconds: 30_000)
            ])
        }
        #expect(hub.figures.bytes <= half && hub.figures.bytes > half - 4_096)
        try set("client", of: "bob")
    }
}
