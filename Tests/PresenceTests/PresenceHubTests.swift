import Journaling
import Naming
import TestSupport
import Testing

@testable import Presence

@Suite struct PresenceHubTests {
    private let time = TestLock(1_000_000)
    private let hub: PresenceHub
    private let note: DocumentID

    init() throws {
        hub = PresenceHub(hasThread: false) { [time] in time.withLock { $0 } }
        note = try #require(DocumentID("note"))
    }

    private func pass(_ milliseconds: Int) { time.withLock { $0 += milliseconds } }

    private func set(
        _ client: String, _ state: String = "{}", owner: String = "ada", for seconds: Int = 30
    ) throws(PresenceError) {
        try hub.set(
            note, Name(client), actor: Name(owner), owner: Name(owner), state: Array(state.utf8),
            revision: 7, milliseconds: seconds * 1_000)
    }

    private func names(_ changes: [PresenceChange]) -> [String] {
        changes.flatMap { $0.clients.map(\.client.text) + $0.gone.map { "-" + $0.text } }
    }

    @Test func `A follower gets all, and then what changed, the newest alone`() throws {
        try set("a")
        let follower = try hub.follow([note], keeping: nil, owner: Name("bob"))
        let first = follower.next {}
        #expect(first.count == 1 && first[0].isAll && names(first) == ["a"])
        pass(100)
        for number in 0..<5 { try set("b", "\(number)") }
        #expect(follower.next {}.isEmpty, "not before others are told")
        #expect(hub.step() != nil)
        let next = follower.next {}
        #expect(names(next) == ["b"] && next[0].clients[0].state == Array("4".utf8))
        #expect(!next[0].isAll && follower.next {}.isEmpty)
        try hub.remove(note, Name("a"), owner: Name("ada"))
        pass(100)
        _ = hub.step()
        #expect(names(follower.next {}) == ["-a"])
    }

    @Test func `Followers are woken once for what comes within 50 ms`() throws {
        let woken = TestLock(0)
        let threaded = PresenceHub { [time] in time.withLock { $0 } }
        defer { threaded.close() }
        let follower = try threaded.follow([note], keeping: nil, owner: Name("ada"))
        _ = follower.next { woken.withLock { $0 += 1 } }
        for number in 0..<10 {
            try threaded.set(
                note, Name("a"), actor: .nobody, owner: .nobody, state: Array("\(number)".utf8),
                revision: nil, milliseconds: 30_000)
            _ = threaded.step()
            pass(4)
        }
        pass(50)
        _ = threaded.step()
        try until { woken.withLock { $0 } == 1 }
        _ = follower.next { woken.withLock { $0 += 1 } }
        #expect(threaded.all(in: note)[0].state == Array("9".utf8))
    }

    @Test func `Whose time is over has gone, and who renews stays, unseen`() throws {
        try set("a", for: 5)
        let follower = try hub.follow([note], keeping: nil, owner: .nobody)
        _ = (hub.step(), follower.next {})
        pass(4_000)
        try set("a", for: 5)
        #expect(hub.step() == 5_000, "nothing has changed for others")
        pass(4_999)
        #expect(hub.step() == 1 && hub.all(in: note).count == 1)
        pass(1)
        _ = hub.step()
        #expect(names(follower.next {}) == ["-a"] && hub.all(in: note).isEmpty)
    }

    @Test func `A client stays as long as its stream, and five seconds more`() throws {
        let stream = try hub.follow([note], keeping: Name("a"), owner: Name("ada"))
        try set("a", for: 5)
        pass(600_000)
        _ = hub.step()
        #expect(hub.all(in: note).count == 1)
        stream.cancel()
        pass(4_999)
        #expect(hub.all(in: note).count == 1)
        pass(1)
        #expect(hub.all(in: note).isEmpty)
    }

    @Test func `A client belongs to the credentials that made it`() throws {
        try set("a")
        #expect(throws: PresenceError.foreign(client: Name("a"))) { try set("a", owner: "bob") }
        #expect(throws: PresenceError.foreign(client: Name("a"))) {
            try hub.remove(note, Name("a"), owner: Name("bob"))
        }
        #expect(throws: PresenceError.foreign(client: Name("a"))) {
            try hub.follow([note], keeping: Name("a"), owner: Name("bob"))
        }
        try hub.remove(note, Name("a"), owner: Name("ada"))
        try hub.remove(note, Name("a"), owner: Name("bob"))
        try set("a", owner: "bob")
    }

    @Test func `The end of a document ends being in it`() throws {
        try set("a")
        let follower = try hub.follow([note], keeping: nil, owner: .nobody)
        _ = (hub.step(), follower.next {})
        hub.end(note, life: 0)
        pass(100)
        _ = hub.step()
        #expect(names(follower.next {}) == ["-a"] && hub.figures.clients == 0)
    }

    @Test func `Who reads of an end long ago ends nothing, and another life has nobody in it`()
        throws
    {
        try hub.set(
            note, Name("a"), actor: .nobody, owner: .nobody, state: [0x31], revision: 5,
            milliseconds: 60_000, life: 4)
        hub.end(note, life: 0)
        #expect(hub.all(in: note, life: 4).count == 1)
        #expect(hub.all(in: note, life: 9).isEmpty)
    }

    @Test func `A stream shortens no time, and keeps nobody else's client`() throws {
        let bobs = try hub.follow([note], keeping: Name("a"), owner: Name("bob"))
        let stream = try hub.follow([note], keeping: Name("a"), owner: Name("ada"))
        try set("a", for: 60)
        stream.cancel()
        pass(59_999)
        #expect(hub.all(in: note).count == 1)
        pass(1)
        #expect(hub.all(in: note).isEmpty, "bob's stream is not ada's")
        bobs.cancel()
    }

    @Test func `Nobody is told more at once than a part and one document`() throws {
        let state = [UInt8](repeating: 0x31, count: Present.stateBytesMax)
        var documents: Set<DocumentID> = []
        for number in 0..<20 {
            let document = try #require(DocumentID("d\(number)"))
            documents.insert(document)
            for client in 0..<50 {
                try hub.set(
                    document, Name("c\(client)"), actor: .nobody, owner: .nobody, state: state,
                    revision: nil, milliseconds: 30_000)
            }
        }
        let follower = try hub.follow(documents, keeping: nil, owner: .nobody)
        var parts: [Int] = []
        while true {
            let part = follower.next {}
            if part.isEmpty { break }
            parts.append(part.count)
        }
        #expect(parts == [Int](repeating: 1, count: 20))
    }

    @Test func `What nobody is in and nobody follows takes no memory`() throws {
        for number in 0..<1_000 {
            let document = try #require(DocumentID("d\(number)"))
            let stream = try hub.follow([document], keeping: Name("a"), owner: .nobody)
            try hub.set(
                document, Name("a"), actor: .nobody, owner: .nobody, state: [0x31], revision: nil,
                milliseconds: 5_000)
            _ = stream.next {}
            stream.cancel()
        }
        pass(10_000)
        _ = hub.step()
        _ = hub.step()
        #expect(hub.roomCount == 0 && hub.figures == (0, 0))
    }

    @Test func `Law: whoever puts the changes together knows who is there`() throws {
        for seed in Seeds.of(200, from: 1) {
            var random = SeededGenerator(seed: seed)
            let hub = PresenceHub(hasThread: false) { [time] in time.withLock { $0 } }
            let follower = try hub.follow([note], keeping: nil, owner: .nobody)
            var known: [Name: [UInt8]] = [:]
            func look() {
                for change in follower.next({}) {
                    if change.isAll { known = [:] }
                    for client in change.clients { known[client.client] = client.state }
                    for client in change.gone { known[client] = nil }
                }
            }
            for _ in 0..<400 {
                let client = Name("c\(random.below(300))")
                switch random.below(10) {
                case 0..<6:
                    try? hub.set(
                        note, client, actor: .nobody, owner: .nobody,
                        state: Array("\(random.below(9))".utf8), revision: nil,
                        milliseconds: 1_000 * (1 + random.below(30)))
                case 6: try hub.remove(note, client, owner: .nobody)
                case 7: if random.below(30) == 0 { hub.end(note, life: 0) }
                case 8: pass(random.below(5_000))
                default: look()
                }
                if random.below(3) == 0 { _ = hub.step() }
            }
            pass(100)
            _ = hub.step()
            look()
            let all = hub.all(in: note)
            #expect(known == Dictionary(uniqueKeysWithValues: all.map { ($0.client, $0.state) }))
        }
    }
}

/// Two daemons that exchange presence.
@Suite struct PresenceSharingTests {
    private let time = TestLock(1_000_000)
    private let note: DocumentID

    init() throws {
        note = try #require(DocumentID("note"))
    }

    private func pass(_ milliseconds: Int) { time.withLock { $0 += milliseconds } }

    private func hub() -> PresenceHub {
        PresenceHub(hasThread: false) { [time] in time.withLock { $0 } }
    }

    private func set(_ hub: PresenceHub, _ client: String, _ state: String) throws {
        try hub.set(
            note, Name(client), actor: .nobody, owner: .nobody, state: Array(state.utf8),
            revision: nil, milliseconds: 60_000)
    }

    @Test func `Another daemon's clients are there, told on to nobody, and go with it`() throws {
        let (here, there) = (hub(), hub())
        #expect(!here.isInUse && here.all(in: note).isEmpty && here.isInUse)
        try set(here, "a", "1")
        there.hear(here.takeNews())
        #expect(there.all(in: note).map(\.client.text) == ["a"])
        #expect(there.takeNews().isEmpty && here.takeNews().isEmpty)
        try set(here, "a", "2")
        there.hear(here.takeNews())
        #expect(there.all(in: note)[0].state == Array("2".utf8))
        pass(10_000)
        #expect(here.takeNews().count == 1, "told again")
        // It crashes: no further reports.
        pass(30_000)
        #expect(there.all(in: note).isEmpty)
    }

    @Test func `Who leaves one daemon has left the others`() throws {
        let (here, there) = (hub(), hub())
        try set(here, "a", "1")
        there.hear(here.takeNews())
        try here.remove(note, Name("a"), owner: .nobody)
        let news = here.takeNews()
        #expect(news.map(\.state) == [nil])
        there.hear(news)
        #expect(there.all(in: note).isEmpty && here.takeNews().isEmpty)
        _ = (here.step(), there.step())
        #expect(here.roomCount == 0 && there.roomCount == 0)
    }

    @Test func `A client that comes to another daemon is that one's, and leaves where it is`()
        throws
    {
        let (here, there) = (hub(), hub())
        try set(here, "a", "1")
        there.hear(here.takeNews())
        pass(10)
        try set(there, "a", "2")
        here.hear(there.takeNews())
        for one in [here, there] { #expect(one.all(in: note)[0].state == Array("2".utf8)) }
        pass(10_000)
        #expect(here.takeNews().isEmpty && there.takeNews().count == 1)
        // A late report of an earlier state has no effect.
        try here.remove(note, Name("a"), owner: .nobody)
        there.hear(here.takeNews())
        #expect(here.all(in: note).isEmpty && there.all(in: note).isEmpty)
    }

    @Test func `Who only follows hears of others`() throws {
        let (here, there) = (hub(), hub())
        let follower = try here.follow([note], keeping: nil, owner: .nobody)
        #expect(here.isInUse)
        _ = follower.next {}
        try set(there, "a", "1")
        here.hear(there.takeNews())
        _ = here.step()
        #expect(follower.next {}.first?.clients.count == 1)
    }
}
