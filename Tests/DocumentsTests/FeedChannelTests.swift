import JSONTree
import Journaling
import Testing
import Threading

@testable import DocumentCore
@testable import Documents

/// Reads of followers from memory, and when they must read the journal.
struct FeedChannelTests {
    private static let id = DocumentID("a")!
    private let topic = FeedTopic.document(id)

    private func document(at revision: Int) -> Document {
        var document = Document.unborn(FeedChannelTests.id)
        document.revision = revision
        return document
    }

    private func change(_ revision: Int) -> FeedItem {
        let change = Change(
            revision: revision, kind: .touch(tag: nil), patch: .empty, actor: "",
            time: Timestamp(milliseconds: 0), label: nil)
        return FeedItem(
            .change(
                Transition(change, from: .null, to: document(at: revision)), sequence: revision))
    }

    private func seal(_ revision: Int) -> FeedItem {
        FeedItem(.seal(document(at: revision)))
    }

    /// The next items as text, `nil` if it is the journal's turn.
    private func turn(
        _ channel: inout FeedChannel, _ cursor: inout FeedChannel.Cursor
    ) -> [String]? {
        switch channel.turn(&cursor, limit: 10, {}) {
        case .items(let items):
            items.map { $0.position(in: topic).map { "change \($0)" } ?? "seal" }
        case .wait, .closed: []
        case .behind: nil
        }
    }

    @Test func `a follower that comes from the journal receives the seal of its last change`() {
        var channel = FeedChannel(topic, isClosed: false)
        let first = channel.join()
        for item in [change(1), change(2), seal(2)] { channel.append(item) }
        // Both changes were read from the journal before the follower asked here.
        var cursor = FeedChannel.Cursor(follower: first, position: 2)
        #expect(turn(&channel, &cursor) == ["seal"])
        #expect(turn(&channel, &cursor) == [])
    }

    @Test func `a follower that was sent to the journal and found no room is sent there again`() {
        var channel = FeedChannel(topic, isClosed: false)
        var cursor = FeedChannel.Cursor(follower: channel.join(), position: 2)
        cursor.isCaughtUp = true
        #expect(turn(&channel, &cursor) == [])
        channel.noteForeignWrite()
        #expect(turn(&channel, &cursor) == nil && turn(&channel, &cursor) == nil)
        cursor.isCaughtUp = true
        #expect(turn(&channel, &cursor) == [])
    }

    @Test func `a seal between the last change from the journal and the next is delivered`() {
        var channel = FeedChannel(topic, isClosed: false)
        let first = channel.join()
        for item in [change(1), change(2), seal(2), change(3)] { channel.append(item) }
        var cursor = FeedChannel.Cursor(follower: first, position: 2)
        #expect(turn(&channel, &cursor) == ["seal", "change 3"])
    }

    @Test func `a seal from before somebody followed is not repeated`() {
        var channel = FeedChannel(topic, isClosed: false)
        _ = channel.join()
        for item in [change(1), change(2), seal(2)] { channel.append(item) }
        let second = channel.join()
        var cursor = FeedChannel.Cursor(follower: second, position: 2)
        #expect(turn(&channel, &cursor) == [], "it would come with every poll")
        channel.append(change(3))
        #expect(turn(&channel, &cursor) == ["change 3"])
    }

    @Test func `a change that was published before somebody followed is delivered`() {
        var channel = FeedChannel(topic, isClosed: false)
        _ = channel.join()
        for item in [change(1), change(2), change(3)] { channel.append(item) }
        let second = channel.join()
        var cursor = FeedChannel.Cursor(follower: second, position: 1)
        #expect(turn(&channel, &cursor) == ["change 2", "change 3"])
        var anew = FeedChannel.Cursor(follower: second, position: 0)
        #expect(turn(&channel, &anew) == ["change 1", "change 2", "change 3"])
    }

    @Test func `nothing is delivered across a gap`() {
        var channel = FeedChannel(topic, isClosed: false)
        let first = channel.join()
        for item in [change(1), change(3), seal(3)] { channel.append(item) }
        var cursor = FeedChannel.Cursor(follower: first, position: 0)
        #expect(turn(&channel, &cursor) == ["change 1"])
        #expect(turn(&channel, &cursor) == nil)
        // Revision 2 came from the journal.
        cursor.position = 2
        #expect(turn(&channel, &cursor) == ["change 3", "seal"])
    }

    @Test func `those that wait are woken once, in the order in which they began to wait`() {
        var channel = FeedChannel(topic, isClosed: false)
        let woken = Lock<[Int]>([])
        var cursors = (0..<5).map { _ in
            FeedChannel.Cursor(follower: channel.join(), position: 0)
        }
        channel.append(change(1))
        for index in [3, 0, 4, 1, 2] {
            #expect(turn(&channel, &cursors[index]) == ["change 1"])
            _ = channel.turn(&cursors[index], limit: 10) { woken.withLock { $0.append(index) } }
        }
        channel.leave(cursors[4].follower)
        // The next follower has the number of the one that left, and does not wait.
        #expect(channel.join() == cursors[4].follower)
        #expect(channel.isAwaited)
        for wake in channel.takeWaiting() { wake() }
        #expect(woken.withLock { $0 } == [3, 0, 1, 2])
        #expect(!channel.isAwaited && channel.takeWaiting().isEmpty)
    }

    @Test func `a number that others had before is woken once`() {
        var channel = FeedChannel(topic, isClosed: false)
        _ = channel.join()
        channel.append(change(1))
        for _ in 0..<3 {
            let follower = channel.join()
            var cursor = FeedChannel.Cursor(follower: follower, position: 1)
            #expect(turn(&channel, &cursor) == [])
            channel.leave(follower)
        }
        var cursor = FeedChannel.Cursor(follower: channel.join(), position: 1)
        #expect(turn(&channel, &cursor) == [])
        #expect(channel.takeWaiting().count == 1)
    }

    @Test func `the end of the feed wakes those that wait, and nobody waits after it`() {
        var channel = FeedChannel(topic, isClosed: false)
        var cursor = FeedChannel.Cursor(follower: channel.join(), position: 0)
        channel.append(change(1))
        #expect(turn(&channel, &cursor) == ["change 1"])
        #expect(turn(&channel, &cursor) == [])
        channel.close()
        #expect(channel.takeWaiting().count == 1)
        guard case .closed = channel.turn(&cursor, limit: 10, {}) else {
            Issue.record("a turn after the end")
            return
        }
        channel.append(change(2))
        #expect(!channel.isAwaited)
    }
}
