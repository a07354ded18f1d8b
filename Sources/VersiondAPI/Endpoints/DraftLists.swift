import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// The drafts of a document.

extension DocumentsAPI {
    /// `GET …/drafts`: documents `menu~…` whose origin is `menu`, and what each would change. A
    /// page looks at `limit` documents, and may have fewer; it ends earlier where comparing them
    /// takes long, or the daemon stops.
    func drafts(_ call: Call, _ id: DocumentID) throws(Problem) {
        let limit = try call.number(
            "limit", in: 1...Limits.draftsPageMax, default: Limits.draftsPageDefault)
        let after = call.query("cursor")
        store.read(id) { [self] result in
            do throws(Problem) { _ = try call.found(result) } catch {
                return call.refuse(error)
            }
            candidates(call, of: id, after: after, limit: limit) { [self] result in
                do throws(Problem) {
                    let (living, next) = try call.found(result)
                    describe(call, of: id, living, DraftPage(next: next))
                } catch {
                    call.refuse(error)
                }
            }
        }
    }

    /// Documents that may be drafts of another one, and the last that was looked at, if there may
    /// be more.
    private func candidates(
        _ call: Call, of id: DocumentID, after: String?, limit: Int,
        _ body:
            @escaping @Sendable (
                Result<(living: [DocumentID], next: String?), ChangeError>
            ) -> Void
    ) {
        store.documents(prefix: "\(id.name)~", after: after, limit: limit) { result in
            body(
                result.map { listings in
                    let living = listings.filter { !$0.isDeleted }.map(\.document)
                        .filter { call.grant.covers($0.name) }
                    let next = listings.count == limit ? listings.last?.document.name : nil
                    return (living, next)
                })
        }
    }

    /// What was found so far.
    private struct DraftPage: Sendable {
        var next: String?
        var drafts: [[UInt8]] = []
        var work = DraftWork()
        /// The last document that was looked at.
        var last: String?

        /// The page, if it ends with what was looked at.
        var ended: DraftPage {
            var page = self
            page.next = last
            return page
        }
    }

    /// Looks at one draft after the other.
    private func describe(
        _ call: Call, of id: DocumentID, _ drafts: [DocumentID], _ page: DraftPage
    ) {
        guard let draft = drafts.first else { return send(call, id, page) }
        if page.last != nil, page.work.isDone || isDraining() {
            return send(call, id, page.ended)
        }
        var request = DraftRequest(draft)
        request.isAwaited = call.isAwaited
        store.compare(request) { [self] result in
            var next = page
            // What has another origin, or none, is no draft of this one.
            if let found = try? result.get(), found.origin.id == id {
                guard let conflicts = found.conflictPlaces(&next.work) else {
                    return send(call, id, page.ended)
                }
                next.drafts.append(call.describedDraft(found, conflicts))
            }
            next.last = draft.name
            describe(call, of: id, Array(drafts.dropFirst()), next)
        }
    }

    /// Calls `body` with the names of a document's drafts, as far as the client may know of them:
    /// of the first documents that may be some.
    func namesOfDrafts(
        of id: DocumentID, for call: Call, _ body: @escaping @Sendable ([String]) -> Void
    ) {
        candidates(call, of: id, after: nil, limit: Limits.draftsPageMax) { [self] result in
            names(
                (try? result.get())?.living ?? [], of: id, [], room: Limits.draftsBytesMax, body)
        }
    }

    private func names(
        _ documents: [DocumentID], of origin: DocumentID, _ found: [String], room: Int,
        _ body: @escaping @Sendable ([String]) -> Void
    ) {
        guard let document = documents.first, room > 0 else { return body(found) }
        store.read(document) { [self] result in
            let loaded = try? result.get()
            names(
                Array(documents.dropFirst()), of: origin,
                found + (loaded?.origin == origin ? [document.name] : []),
                room: room - (loaded?.tree.byteCount ?? 0), body)
        }
    }

    private func send(_ call: Call, _ id: DocumentID, _ page: DraftPage) {
        call.respondOnLoop { () throws(Problem) in
            let link = page.next.map { [call.next("cursor", $0)] } ?? []
            if call.prefersLines {
                return call.lines(page.drafts, fields: link) { $0.value(raw: $1) }
            }
            var text = call.jsonText()
            text.object { text in
                text.document(id)
                text.name("drafts")
                text.array(page.drafts) { $0.value(raw: $1) }
                text.member("next", page.next.map { JSON($0) } ?? .null)
            }
            return call.json(text, fields: link)
        }
    }
}

extension Call {
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
