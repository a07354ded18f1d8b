import DocumentCore
import Journaling
import Threading

/// A page of changes that was read from the journal. Shared by all who come to it at the same time,
/// and counted as long as somebody has it.
final class FeedPastPage: Sendable {
    /// Where it begins.
    let key: FeedPastPages.Key
    let items: [FeedItem]
    /// Up to here everything was looked at.
    let end: Int
    /// Goes on behind it.
    let next: FeedPast
    private let permit: Lock<ByteBudget.Permit?>
    private let budget: ByteBudget
    /// Whether the room for a long text is taken.
    private let isTextMade = Lock(false)

    init(
        at key: FeedPastPages.Key, _ items: [FeedItem], end: Int, next: FeedPast,
        _ permit: ByteBudget.Permit, _ budget: ByteBudget
    ) {
        self.key = key
        self.items = items
        self.end = end
        self.next = next
        self.permit = Lock(permit)
        self.budget = budget
    }

    /// About how many bytes a page takes: what was changed, the documents, and one long text at a
    /// time, so that who has a page can send it.
    static func weight(of items: [FeedItem]) -> Int {
        var documents: [DocumentID: Int] = [:]
        var (bytes, longest) = (0, 0)
        for item in items {
            // What was removed is in the tree before it, too, and not shared with that.
            bytes += item.weight * 3 / 2
            documents[item.document.id] = item.document.weight
            longest = max(longest, item.textRoom)
        }
        return documents.values.reduce(bytes + longest, +)
    }

    /// The room for a long text, as long as somebody has it.
    final class TextRoom: Sendable {
        private let page: FeedPastPage

        fileprivate init(_ page: FeedPastPage) {
            self.page = page
        }

        deinit {
            page.isTextMade.withLock { $0 = false }
            page.budget.wakeSome()
        }
    }

    /// The room for a long text; `nil` if somebody has it.
    func textRoom() -> TextRoom? {
        let isFree = isTextMade.withLock { isMade in
            defer { isMade = true }
            return !isMade
        }
        return isFree ? TextRoom(self) : nil
    }

    /// Takes the permit, for the page behind it. The page is let go.
    func takePermit() -> ByteBudget.Permit? {
        permit.withLock { permit in
            defer { permit = nil }
            return permit
        }
    }
}

/// What pages are read of.
enum PageSource: Hashable {
    case topic(FeedTopic)
    case export

    /// What a page takes at least.
    var weightMin: Int { self == .export ? 64 << 10 : 16 << 10 }
}

/// The pages that somebody has, by where they begin.
struct FeedPastPages {
    struct Key: Hashable {
        let topic: FeedTopic
        let scope: FeedScope
        let position: Int
    }

    private struct Shared {
        weak let page: FeedPastPage?
    }

    private var pages: [Key: Shared] = [:]
    /// About how many bytes a page took last: read before that is known, it takes memory, and may
    /// have to be let go.
    private var weights: [PageSource: Int] = [:]
    private static let weightsMax = 1_000
    /// How often everything was forgotten.
    private(set) var epoch = 0
    private var sweepAt = 64

    subscript(key: Key) -> FeedPastPage? { pages[key]?.page }

    /// What the next page may take.
    func weight(_ source: PageSource) -> Int { weights[source] ?? source.weightMin }

    mutating func note(_ weight: Int, of source: PageSource) {
        if weights.count == FeedPastPages.weightsMax { weights = [:] }
        weights[source] = max(weight, source.weightMin)
    }

    /// Shares a page that was read in an epoch. Returns the one that is shared already, if there is
    /// one.
    mutating func share(_ page: FeedPastPage, readIn epoch: Int) -> FeedPastPage {
        guard epoch == self.epoch else { return page }
        if let known = pages[page.key]?.page { return known }
        pages[page.key] = Shared(page: page)
        if pages.count > sweepAt {
            pages = pages.filter { $0.value.page != nil }
            sweepAt = max(64, 2 * pages.count)
        }
        return page
    }

    /// Nobody comes to a page any more that one has.
    mutating func remove(_ page: FeedPastPage) {
        if pages[page.key]?.page === page { pages[page.key] = nil }
    }

    /// What was read may no longer be what the journal has.
    mutating func forget() {
        epoch += 1
        pages = [:]
    }
}
