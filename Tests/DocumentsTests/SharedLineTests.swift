import JSONTree
import Journaling
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The line of a document to which other processes also write: event in, actions out.
@Suite struct SharedLineTests {
    /// Two lines of one document; what one has committed the other one has missed.
    private func scenes(_ value: JSON) throws -> (mine: LineScene, other: LineScene) {
        var (mine, other) = (try LineScene(isShared: true), try LineScene(isShared: true))
        _ = mine.request(.put(value))
        _ = mine.commit()
        #expect(other.caughtUp(mine.committed) == ["show 0"])
        return (mine, other)
    }

    @Test func `a change is published when the journal's order has come to it`() throws {
        var scene = try LineScene(isShared: true)
        #expect(scene.request(.put(1)) == ["commit 0"])
        #expect(scene.commit() == ["show 0", "reply 0: revision 0"])
        #expect(scene.passed(0, as: 7) == ["publish 0 as 7", "published"])
        #expect(scene.passed(0, as: 7) == ["unknown"], "and once")
        #expect(scene.passed(1, as: 8) == ["behind"])
        _ = scene.request(.edit(2))
        #expect(scene.passed(1, as: 8) == ["waiting"], "it may be this one's own")
    }

    @Test func `the end of a group is published after its changes`() throws {
        var scene = try LineScene(isShared: true)
        _ = scene.request(.put(0))
        _ = scene.commit()
        _ = scene.request(.edit(1, window: 100))
        _ = scene.commit()
        #expect(scene.seal() == ["show 1"])
        #expect(scene.passed(0, as: 1) == ["publish 0 as 1", "published"])
        #expect(scene.passed(1, as: 2) == ["publish 1 as 2", "publish seal of 1", "published"])
    }

    @Test func `what others wrote is gone on with, and one's own change comes after it`() throws {
        var (mine, other) = try scenes(["a": 0])
        _ = other.request(.edit(["a": 1]))
        _ = other.commit()
        #expect(mine.caughtUp(other.committed) == ["show 1"])
        #expect(mine.line.committed.tree == ["a": 1])
        #expect(mine.request(.undo) == ["commit 2"])
        #expect(mine.commit() == ["show 2", "reply 1: revision 2"])
        #expect(mine.line.committed.tree == ["a": 0])
    }

    @Test func `who has lost a race takes a turn, with all that waits`() throws {
        var (mine, other) = try scenes(0)
        _ = other.request(.edit(1))
        _ = other.commit()
        #expect(mine.request(.edit(2)) == ["commit 1"])
        #expect(mine.request(.edit(3)) == ["commit 2"])
        #expect(mine.fail(.conflict) == ["note a fault"], "the second one's result comes first")
        #expect(mine.request(.edit(4)) == [], "it waits, too")
        #expect(mine.fail(.conflict) == ["request a turn after 0"])
        #expect(mine.turn(missed: other.committed) == ["show 1", "entries 2, 3, 4"])
        #expect(mine.commit() == ["show 2", "reply 1: revision 2"])
        // All three were asked for at once: any order is right.
        #expect(mine.commit() == ["show 3", "reply 3: revision 3"])
        #expect(mine.commit() == ["show 4", "reply 2: revision 4"])
        #expect(mine.line.committed.tree == 3)
    }

    @Test func `a turn that cannot be had refuses what waits for it`() throws {
        var (mine, _) = try scenes(0)
        _ = mine.request(.edit(1))
        #expect(mine.fail(.conflict).last == "request a turn after 0")
        #expect(
            mine.turnFailed(.unavailable("down")) == [
                "note a fault", "reply 1: journal(down)",
            ])
    }

    @Test func `a result that changes nothing is final once nothing is missing`() throws {
        var (mine, other) = try scenes(0)
        #expect(mine.request(.undo) == ["confirm 1"])
        #expect(
            mine.confirmLast() == [
                "reply 1: version(VersioningKit.VersionError.nothingToUndo(available: 0))"
            ])
        #expect(mine.request(.undo) == ["confirm 2"])
        _ = other.request(.edit(1))
        _ = other.commit()
        _ = mine.caughtUp(other.committed)
        #expect(mine.confirmLast() == ["not final"], "there is something to undo now")
    }

    @Test func `what was rewritten by others is loaded anew`() throws {
        var (mine, _) = try scenes(0)
        let stranger = JournalEntry(
            document: mine.line.committed.id, revision: 1, body: [1], following: .start)
        #expect(mine.caughtUp([stranger]) == ["forget"])
        #expect(mine.request(.edit(1)) == ["retired"])
    }

    @Test func `a commit that nobody can tell about is neither confirmed nor repeated`() throws {
        var (mine, _) = try scenes(0)
        _ = mine.request(.edit(1))
        #expect(
            mine.fail(.uncertain("cut")) == [
                "note a fault", "forget",
                "reply 1: journal(the store did not confirm: cut)",
            ])
    }
}
