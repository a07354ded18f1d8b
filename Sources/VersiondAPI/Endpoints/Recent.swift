import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling

// The latest changes of several documents.

extension DocumentsAPI {
    /// `GET /v1/history?prefix=&cursor=&limit=`: changes to documents of a prefix, the newest
    /// first, without their patches.
    func recent(_ call: Call) throws(Problem) {
        let limit = try call.pageLimit(limits)
        let before = try call.before(in: call.positions)
        let filter = try ChangeFilter(call).boundedOfMany(call)
        let documents = try call.documents()
        let scope = FeedScope(
            prefix: try call.prefix(besides: documents), documents: documents)
        taskOfAll(call) { [store] past throws(Problem) in
            let head = try await call.found(await store.lastSequence(reaching: .max))
            let page = RecentPage(before: min(before, head + 1), limit: limit, filter)
            call.send(try call.recent(past, page, of: scope))
        }
    }
}

/// A page of changes of many documents during its search.
private struct RecentPage: Sendable {
    private(set) var items: [JournalPast.Item] = []
    /// The page after this one begins before this number.
    private(set) var next: Int
    /// Nothing that is wanted comes before this number.
    private let end: Int
    private let limit: Int
    private let filter: ChangeFilter
    private var looked = 0
    /// The size of the next scan; it grows while few changes match.
    private(set) var span: Int
    private static let spanMax = 4_096

    /// The maximum number of scanned changes per page.
    private static let lookedMax = 16_384

    init(before: Int, limit: Int, _ filter: ChangeFilter) {
        end = (filter.positions.since ?? 0) + 1
        next = max(end, min(before, (filter.positions.until ?? before - 1) + 1))
        self.limit = limit
        span = limit
        self.filter = filter
    }

    var isOver: Bool { isLast || items.count >= limit || looked >= RecentPage.lookedMax }

    /// Whether the list ends with this page.
    var isLast: Bool { next <= end }

    mutating func add(_ found: (items: [JournalPast.Item], end: Int)) {
        looked += next - found.end
        span = min(RecentPage.spanMax, 4 * span)
        for item in found.items where filter.wants(item) {
            items.append(item)
            next = item.sequence
            if items.count >= limit { return }
        }
        next = found.end + 1
    }
}

extension Call {
    fileprivate func recent(
        _ past: JournalPast, _ page: RecentPage, of scope: FeedScope
    ) throws(Problem) -> HTTPResponse {
        var page = page
        do throws(ChangeError) {
            while !page.isOver {
                page.add(try past.changes(before: page.next, of: scope, span: page.span))
            }
        } catch {
            throw problem(error)
        }
        let next = page.isLast ? nil : page.next
        let fields = next.map { [self.next("cursor", "\(positions.shownEnd($0))")] } ?? []
        if prefersLines { return lines(page.items, fields: fields) { $0.describe($1) } }
        var text = jsonText()
        text.object { text in
            text.name("changes")
            text.array(page.items) { text, item in text.object { $0.describe(item) } }
            text.member("next", next.map { positions.shownEnd($0) })
        }
        return json(text, fields: fields)
    }
}

extension JSONText {
    fileprivate mutating func describe(_ item: JournalPast.Item) {
        position("cursor", item.sequence)
        document(item.document)
        describe(item.change)
        if case .snapshot = item.change.kind { return }
        if case .purge = item.change.kind { return }
        name("paths")
        array(JSONText.paths(of: [item.change])) { $0.value(JSON($1.description)) }
    }
}
