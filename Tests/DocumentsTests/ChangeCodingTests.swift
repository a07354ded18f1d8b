import JSONTree
import Journaling
import SelectiveUndo
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The content of journal entries, in today's form and those of older versions.
@Suite struct ChangeCodingTests {
    private func change(_ hexadecimal: String, _ revision: Int) throws -> Change {
        let digits = Array(hexadecimal)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        return try Change(decoding: bytes, revision: revision)
    }

    @Test func `entries written before own undo had its rules are read`() throws {
        let undo = try change(
            "020B00010103616461FFA8C185A03400E3EEC2A832F5B21EB17FD68FBD3D6A46010103022F780131013000",
            3)
        #expect(undo.kind == .revert(Reversal(actor: nil, off: [1])))
        let redo = try change(
            "020B010101036164618DA9C185A03400E851B22347A84BA7E8D6AC682C7192E8010103022F780130013100",
            4)
        #expect(redo.kind == .revert(Reversal(actor: nil, on: [1])))
        let typed = try change(
            "02020100036164618BAAC185A03400D2ACB092EA99FDBAAFDC69C0C2CC45E5010103022F74062268656C6C"
                + "22072268656C6C6F2200", 9)
        #expect(typed.kind == .append(joins: true, tag: nil) && typed.group == nil)
        let pop = try change(
            "020701056167656E74ECAAC185A03400DFD77B224C6BA7A00D793A7ACCBF9194010000", 13)
        #expect(pop.kind == .popScope(isChanged: true, owner: nil) && pop.actor == "agent")
    }

    @Test func `every kind of change is read as it was written`() throws {
        let reverted = Reversal(
            actor: "ada", off: [1, 300], on: [7], passed: [1],
            skipped: [
                Conflict(
                    change: 9, places: ["/a", ""].compactMap { JSONPointer(parsing: $0) }, with: [7]
                )
            ], isForced: true)
        var inPart = reverted
        inPart.partsOff = [ChangePart(1, operations: [0, 2]), ChangePart(5, operations: [1])]
        inPart.partsOn = [ChangePart(7, operations: [3])]
        inPart.kept = ["/a", "/b/0"].compactMap { JSONPointer(parsing: $0) }
        let id = try #require(DocumentID("menu"))
        let kinds: [Change.Kind] = [
            .create, .append(joins: true, tag: "t"), .touch(tag: nil),
            .move(to: 5, direction: .goTo),
            .revert(reverted), .revert(inPart), .discardScope(reverted), .discardScope(inPart),
            .discardScope(nil),
            .popScope(isChanged: true, owner: "bob"), .popScope(isChanged: false, owner: nil),
            .pushScope(ScopeExpiry(deadline: .seconds(9), policy: .discard)), .pushScope(nil),
            .restore("s"), .delete,
            .copy(of: Change.Origin(document: id, revision: 399, isRename: true)),
        ]
        for kind in kinds {
            var change = Change(
                revision: 400, kind: kind, patch: .empty, actor: "a",
                time: Timestamp(milliseconds: 5), label: "l")
            change.priorHash = ShortHash(bits: 0xfe07)
            change.group = 12
            change.sent = SentEdit(
                base: 390, ownCount: 2, patch: JSON(1).replaced(by: 2), isPartial: true)
            #expect(try Change(decoding: change.encoded(), revision: 400) == change)
            change.priorHash = ShortHash(byte: 0xfe)
            #expect(try Change(decoding: change.encoded(), revision: 400) == change)
            change.priorHash = ShortHash(bits: 0xfe07)
            // As a version before had it.
            change.treeHash = JSON.null.contentHash
            #expect(try Change(decoding: change.encoded(), revision: 400) == change)
        }
    }

    @Test func `what few changes have is read as it was written, and costs the others nothing`()
        throws
    {
        let places = try ["b", "a", "é"].map { DocumentRevision(try #require(DocumentID($0)), 300) }
        var change = Change(
            revision: 300, kind: .delete, patch: .empty, actor: "a",
            time: Timestamp(milliseconds: 5), label: nil)
        let plain = change.encoded()
        #expect(plain.first == 6, "what needs nothing new is written as before")
        let selections = [
            ChangeSelection(actor: "", label: "é", since: .revision(0), until: .time(change.time)),
            ChangeSelection(places: [.root]), ChangeSelection(),
        ]
        for number in 1...3 {
            change.transaction = TransactionPart(number: number, of: places)
            change.selection = selections[number - 1]
            change.takesBack = number == 2 ? nil : number
            let bytes = change.encoded()
            #expect(bytes.first == 7)
            #expect(try Change(decoding: bytes, revision: 300) == change)
            #expect(try ChangeColumns().tokens(of: bytes).isAtEnd)
            #expect(change.transaction?.leader == places[0])
            for count in 0..<bytes.count {
                #expect(throws: ByteReader.Malformed.self) {
                    try Change(decoding: Array(bytes.prefix(count)), revision: 300)
                }
            }
        }
    }

    @Test func `who asked for a change is read as it was written, and costs others nothing`() throws
    {
        let places = try ["a", "b"].map { DocumentRevision(try #require(DocumentID($0)), 300) }
        for isPart in [false, true] {
            var change = Change(
                revision: 300, kind: .append(joins: false, tag: nil), patch: .empty, actor: "agent",
                time: Timestamp(milliseconds: 5), label: nil)
            change.priorHash = ShortHash(byte: 0xfe)
            if isPart { change.transaction = TransactionPart(number: 2, of: places) }
            #expect(change.encoded().first == 11)
            change.promptBy = "é"
            let bytes = change.encoded()
            #expect(bytes.first == 12)
            #expect(try Change(decoding: bytes, revision: 300) == change)
            #expect(try ChangeColumns().tokens(of: bytes).isAtEnd)
            for count in 0..<bytes.count {
                #expect(throws: ByteReader.Malformed.self) {
                    try Change(decoding: Array(bytes.prefix(count)), revision: 300)
                }
            }
        }
    }

    @Test func `what drafts have is read as it was written, in a format of its own`() throws {
        let (ahead, before) = (JSON.null.replaced(by: 1), ReversiblePatch.empty)
        let origin = try #require(DocumentID("menu"))
        let record = DraftRecord(
            of: origin, at: 300, ahead: ahead, by: ["ada", "é"], behind: ahead.inverse)
        let kinds: [Change.Kind] = [
            .create, .update, .merge, .delete, .origin(origin), .origin(nil),
            .append(joins: false, tag: nil),
        ]
        for kind in kinds {
            var change = Change(
                revision: 7, kind: kind, patch: before, actor: "ada",
                time: Timestamp(milliseconds: 5), label: nil)
            if case .append = kind {
                change.merged = MergedDraft(of: origin, at: 7, by: ["ada"])
            } else if change.kind.traits.lifecycle == .ends {
                change.renamedTo = origin
            }
            if case .create = kind {
                change.settings = DocumentSettings(identityNames: ["sku"])
            }
            if kind != .origin(nil) { change.draft = record }
            let bytes = change.encoded()
            #expect(bytes.first == 8)
            #expect(try Change(decoding: bytes, revision: 7) == change)
            #expect(try ChangeColumns().tokens(of: bytes).isAtEnd)
            for count in 0..<bytes.count {
                #expect(throws: ByteReader.Malformed.self) {
                    try Change(decoding: Array(bytes.prefix(count)), revision: 7)
                }
            }
        }
    }
}
