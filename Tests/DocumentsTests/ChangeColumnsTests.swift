import Foundation
import JSONTree
import Naming
import SQLiteJournaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents
@testable import Journaling

/// How the entries of documents are taken apart, and what they take on the disk then.
struct ChangeColumnsTests {
    private let directory: TemporaryDirectory
    private let id: DocumentID

    init() throws {
        directory = try TemporaryDirectory()
        id = try #require(DocumentID("note"))
    }

    /// A document store in a directory, with a clock that the test sets.
    private final class Scene {
        let journal: SQLiteJournal
        let store: DocumentStore
        let time = ManualTime()
        let id: DocumentID

        init(_ directory: String, _ id: DocumentID) throws {
            self.id = id
            journal = try SQLiteJournal(directory: directory, columns: ChangeColumns())
            store = DocumentStore(journal: journal, now: { [time] in time.now })
        }

        func change(_ action: ChangeRequest.Action, _ actor: Name = "ada") async throws {
            _ = try await store.change(id, ChangeRequest(action, actor: actor))
        }

    }

    /// Bytes of a file.
    private func size(_ directory: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: directory + "/journal.sqlite")[.size]
            as? Int ?? 0
    }

    /// Bytes on the disk for each of some changes, beyond what an empty journal takes.
    private func bytesPerChange(
        _ count: Int, of first: JSON, _ next: (Scene, inout SeededGenerator) async throws -> Void
    ) async throws -> Double {
        let (empty, full) = (directory.path + "/empty", directory.path + "/full")
        for path in [empty, full] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        try SQLiteJournal(directory: empty).close()
        let scene = try Scene(full, id)
        var random = SeededGenerator(seed: 11)
        try await scene.change(.put(first))
        for _ in 0..<count { try await next(scene, &random) }
        scene.store.close()
        let packed = try SQLiteJournal(directory: full, columns: ChangeColumns())
        try packed.packAll()
        try packed.compact()
        packed.close()
        let whole = try size(full) - size(empty)
        try FileManager.default.removeItem(atPath: full)
        return Double(whole) / Double(count)
    }

    /// Words in an unpredictable order.
    private static let text: [Character] = {
        var random = SeededGenerator(seed: 23)
        let words = """
            the of and a to in is you that it he was for on are as with his they at be this have \
            from or one had by word but not what all were we when your can said there use an each \
            which she do how their if will up other about out many then them these so some her
            """.split(whereSeparator: \.isWhitespace)
        return (0..<4_000).flatMap { _ in words[random.below(words.count)] + " " }
    }()

    /// Types at the end; the pauses are those of a person: none is like the other.
    private func type(
        _ scene: Scene, _ random: inout SeededGenerator, grouping: Grouping?
    ) async throws {
        scene.time.advance(by: 60 + random.below(90) + random.below(90) + random.below(200))
        if random.below(12) == 0 { scene.time.advance(by: 1_500 + random.below(2_000)) }
        let length = try await scene.store.read(scene.id).tree["text"]?.string?.utf16.count ?? 0
        let text = ChangeColumnsTests.text
        let operation: JSONOperation =
            length > 40 && random.below(16) == 0
            ? .deleteText(JSONPointer(names: ["text"]), at: length - 1, count: 1)
            : .insertText(
                JSONPointer(names: ["text"]), at: length, String(text[length % text.count]))
        try await scene.change(
            .append(.patch(JSONPatch([operation])), tag: nil, grouping: grouping))
    }

    @Test func `a letter typed in a group of quick ones takes at most four bytes on the disk`()
        async throws
    {
        let quick = Grouping(window: .seconds(1), max: .seconds(20))
        let bytes = try await bytesPerChange(12_000, of: ["text": ""]) { scene, random in
            try await type(scene, &random, grouping: quick)
        }
        // The file has whole pages: one more or less is a third of a byte here.
        #expect(bytes <= 4.0 + 4_096 / 12_000, "\(bytes)")
    }

    @Test func `a letter that is a version of its own takes at most six`() async throws {
        let bytes = try await bytesPerChange(6_000, of: ["text": ""]) { scene, random in
            try await type(scene, &random, grouping: nil)
        }
        #expect(bytes <= 6.0, "\(bytes)")
    }

    @Test func `a small change of a form takes at most fifteen bytes`() async throws {
        let bytes = try await bytesPerChange(4_000, of: ["a": 0, "b": 0, "c": ""]) {
            scene, random in
            scene.time.advance(by: 2_000 + random.below(20_000))
            let member = ["a", "b", "c"][random.below(3)]
            let value =
                member == "c"
                ? JSON("city \(random.below(500))") : JSON(random.below(1_000))
            try await scene.change(
                .append(.mergePatch(JSON(members: [(member, value)])), tag: nil, grouping: nil))
        }
        #expect(bytes <= 15, "\(bytes)")
    }

    @Test(arguments: Seeds.of(12, from: 1))
    func `entries of every kind come out of a segment as they were`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scene = try Scene(directory.path, id)
        try await scene.change(.put(JSON.crowded(&random)))
        for number in 0..<80 {
            scene.time.advance(by: random.below(3_000))
            let actor: Name = random.below(2) == 0 ? "ada" : "böb"
            let action: ChangeRequest.Action =
                switch random.below(12) {
                case 0: .move(.undo(count: 1))
                case 1: .move(.redo(count: 1))
                case 2: .tag(Name("t\(number)"), version: nil, isNew: true)
                case 3: .pushScope(lifetime: .seconds(60), policy: .discard)
                case 4: .popScope(isForced: true)
                case 5: .revert(OwnUndoRequest(.actor(actor)))
                case 6: .snapshot(Name("s\(number % 3)"), [.root], isNew: false)
                case 7: .restore(Name("s\(number % 3)"))
                case 8: .revertAll(ChangeSelection(actor: actor), also: [], .theirs)
                default: .put(JSON.crowded(&random))
                }
            // An impossible action is refused, and another kind comes next.
            try? await scene.change(action, actor)
        }
        let before = try scene.journal.entries(of: id, from: 0, limit: 1_000)
        let whole = before.count { (try? ChangeColumns().tokens(of: $0.body).isAtEnd) == true }
        #expect(whole == before.count, "each is taken apart to its end")
        try scene.journal.packAll()
        #expect(try scene.journal.entries(of: id, from: 0, limit: 1_000) == before)
        scene.store.close()
        let again = try SQLiteJournal(readingFrom: directory.path)
        #expect(try Audit.check(id, again).changes == before.count)
        again.close()
    }

    @Test func `an entry that is no change is one part`() throws {
        for body: [UInt8] in [[], [0], [9, 1, 1], [6, 2, 0, 0, 200], Array("text".utf8)] {
            let tokens = ChangeColumns().anyTokens(of: body)
            #expect(tokens.isAtEnd)
            #expect(tokens.tokens.reduce(into: []) { $0 += Array(body[$1.range]) } == body)
        }
    }
}
