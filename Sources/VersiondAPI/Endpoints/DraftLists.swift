import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// The drafts of a document.

extension DocumentsAPI {
    /// `GET …/drafts`: documents `menu~…` whose origin is `menu`, and the changes of each. A page
    /// scans `limit` documents, and may list fewer; it ends earlier if comparing them takes long,
    /// or if the daemon stops.
    func drafts(_ call: Call, _ id: DocumentID) throws(Problem) {
        let limit = try call.number(
            "limit", in: 1...Limits.draftsPageMax, default: Limits.draftsPageDefault)
        let after = call.query("cursor")
        task(call, of: id) { [self] () async throws(Problem) in
            _ = try await call.found(await store.read(id))
            let (living, next) = try await call.found(
                await candidates(call, of: id, after: after, limit: limit))
            call.send(call.response(await page(call, of: id, living, next), of: id))
        }
    }

    /// Documents that may be drafts of another one, and the last one scanned, if there may be more.
    private func candidates(
        _ call: Call, of id: DocumentID, after: String?, limit: Int
    ) async throws(ChangeError) -> (living: [DocumentID], next: String?) {
        let listings = try await store.documents(
            prefix: "\(id.name)~", after: after, limit: limit)
        let living = listings.filter { !$0.isDeleted }.map(\.document)
            .filter { call.grant.covers($0.name) }
        return (living, listings.count == limit ? listings.last?.document.name : nil)
    }

    /// Compares one draft after the other with the document. The page ends early where that takes
    /// long, or the daemon stops.
    private func page(
        _ call: Call, of id: DocumentID, _ drafts: [DocumentID], _ next: String?
    ) async -> DraftPage {
        var page = DraftPage()
        var work = DraftWork()
        for draft in drafts {
            if page.next != nil {
                if work.isDone || isDraining() { return page }
                await store.takeTurn(of: id.name)
            }
            var request = DraftRequest(draft)
            request.isAwaited = call.isAwaited
            // A document with another origin, or without one, is not a draft of this document.
            if let found = try? await store.compare(request), found.origin.id == id {
                guard let conflicts = found.conflictPlaces(&work) else { return page }
                page.drafts.append(call.describedDraft(found, conflicts))
            }
            page.next = draft.name
        }
        page.next = next
        return page
    }

    /// The names of those drafts of a document that the token covers, among the first documents
    /// that may be drafts.
    func namesOfDrafts(of id: DocumentID, for call: Call) async -> [String] {
        let found = try? await candidates(call, of: id, after: nil, limit: Limits.draftsPageMax)
        var names: [String] = []
        var room = Limits.draftsBytesMax
        for document in found?.living ?? [] where room > 0 {
            await store.takeTurn(of: id.name)
            guard let loaded = try? await store.read(document) else { continue }
            if loaded.origin == id { names.append(document.name) }
            room -= loaded.tree.byteCount
        }
        return names
    }
}

/// The found drafts.
private struct DraftPage: Sendable {
    /// The last scanned document, if more may follow.
    var next: String?
    var drafts: [[UInt8]] = []
}

extension Call {
    fileprivate func response(_ page: DraftPage, of id: DocumentID) -> HTTPResponse {
        let link = page.next.map { [next("cursor", $0)] } ?? []
        if prefersLines {
            return lines(page.drafts, fields: link) { $0.value(raw: $1) }
        }
        var text = jsonText()
        text.object { text in
            text.document(id)
            text.name("drafts")
            text.array(page.drafts) { $0.value(raw: $1) }
            text.member("next", page.next.map { JSON($0) } ?? .null)
        }
        return json(text, fields: link)
    }

    /// A draft, and what it would change.
    fileprivate func describedDraft(
        _ found: DraftComparison, _ conflicts: [JSONPointer]
    ) -> [UInt8] {
        let origin = numbering(of: found.origin.id)
        var text = jsonText()
        text.object { text in
            text.document(found.draft.id)
            text.revision("revision", found.draft.revision)
            text.member("base", origin.shown(found.originRevision))
            text.member("ahead") { $0.describe(found.ahead) }
            text.member("behind") { $0.describe(found.behind, in: origin) }
            text.texts("conflicts", conflicts.map(\.description))
            text.member("changed", RFC3339.text(found.draft.time))
            text.texts("actors", found.actors.map(\.text))
        }
        return text.bytes
    }
}
