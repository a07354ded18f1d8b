import DocumentCore
import Journaling
import Threading

/// A page of changes from the journal. All followers at its position share it, and its bytes are
/// counted as long as it has users.
final class FeedPastPage: Sendable {
    /// Where it begins.
    let key: FeedPastPages.Key
    let items: [FeedItem]
    /// The position up to which all was scanned.
    let end: Int
    /// Continues after it.
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
            // The tree before it also has the removed values, which it does not share.
            bytes += item.weight * 3 / 2
            documents[item.document.id] = item.document.weight
            longest = max(longest, item.textRoom)
        }
        return documents.values.reduce(bytes + longest, +)
    }

    /// The room for a long text, as long as it has a holder.
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

    /// The room for a long text; `nil` if it has a holder.
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

/// The source of pages.
enum PageSource: Hashable {
    case topic(FeedTopic)
    case export

    /// The minimal bytes of a page.
    var weightMin: Int { self == .export ? 64 << 10 : 16 << 10 }
}

/// The pages in use, by their beginnings.
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

    /// The bytes that the next page may take.
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

    /// A page that its only user takes over receives no other users.
    mutating func remove(_ page: FeedPastPage) {
        if pages[page.key]?.page === page { pages[page.key] = nil }
    }

    /// Pages may differ from the journal after a rewriting.
    mutating func forget() {
        epoch += 1
        pages = [:]
    }
}
