import JSONTree
import Journaling
import Testing

@testable import Documents

/// What a follower gets from memory, and when it has to read the journal.
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
            .change(Transition(change, from: .null, to: document(at: revision))),
            sequence: revision)
    }

    private func seal(_ revision: Int) -> FeedItem {
        FeedItem(.seal(document(at: revision)), sequence: nil)
    }

    /// The next items as text, `nil` if it is the journal's turn.
    private func turn(
        _ channel: inout FeedChannel, _ cursor: inout FeedChannel.Cursor
    ) -> [String]? {
        switch channel.turn(&cursor, limit: 10, {}) {
        case .items(let items):
            items.map { $0.position(in: topic).map { "change \($0)" } ?? "seal" }
        case .wait: []
        case .behind: nil
        }
    }

    @Test func `a follower that comes from the journal receives the seal of its last change`() {
        var channel = FeedChannel(topic)
        channel.join(1)
        for item in [change(1), change(2), seal(2)] { _ = channel.append(item) }
        // Both changes were read from the journal before the follower asked here.
        var cursor = FeedChannel.Cursor(follower: 1, position: 2)
        #expect(turn(&channel, &cursor) == ["seal"])
        #expect(turn(&channel, &cursor) == [])
    }

    @Test func `a seal between the last change from the journal and the next is delivered`() {
        var channel = FeedChannel(topic)
        channel.join(1)
        for item in [change(1), change(2), seal(2), change(3)] { _ = channel.append(item) }
        var cursor = FeedChannel.Cursor(follower: 1, position: 2)
        #expect(turn(&channel, &cursor) == ["seal", "change 3"])
    }

    @Test func `a seal from before somebody followed is not repeated`() {
        var channel = FeedChannel(topic)
        channel.join(1)
        for item in [change(1), change(2), seal(2)] { _ = channel.append(item) }
        channel.join(2)
        var cursor = FeedChannel.Cursor(follower: 2, position: 2)
        #expect(turn(&channel, &cursor) == [], "it would come with every poll")
        _ = channel.append(change(3))
        #expect(turn(&channel, &cursor) == ["change 3"])
    }

    @Test func `a change that was published before somebody followed is delivered`() {
        var channel = FeedChannel(topic)
        channel.join(1)
        for item in [change(1), change(2), change(3)] { _ = channel.append(item) }
        channel.join(2)
        var cursor = FeedChannel.Cursor(follower: 2, position: 1)
        #expect(turn(&channel, &cursor) == ["change 2", "change 3"])
        var first = FeedChannel.Cursor(follower: 2, position: 0)
        #expect(turn(&channel, &first) == ["change 1", "change 2", "change 3"])
    }

    @Test func `nothing is delivered across a gap`() {
        var channel = FeedChannel(topic)
        channel.join(1)
        for item in [change(1), change(3), seal(3)] { _ = channel.append(item) }
        var cursor = FeedChannel.Cursor(follower: 1, position: 0)
        #expect(turn(&channel, &cursor) == ["change 1"])
        #expect(turn(&channel, &cursor) == nil)
        // Revision 2 came from the journal.
        cursor.position = 2
        #expect(turn(&channel, &cursor) == ["change 3", "seal"])
    }
}
