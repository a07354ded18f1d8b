import Documents
import HTTPServing
import JSONTree
import Journaling
import VersioningKit

// Erasing, and bringing back what was deleted.

extension DocumentsAPI {
    /// `POST …/undelete`
    func undelete(_ call: Call, _ id: DocumentID) throws(Problem) {
        try submit(call, id, .undelete)
    }

    /// `POST …/purge`: `{"paths":["/email","/users/*/email"]}`. With `?dryRun` nothing is erased.
    func purge(_ call: Call, _ id: DocumentID) throws(Problem) {
        let places = try call.command().list("paths") { PointerPattern(parsing: $0) } ?? []
        let isDryRun = call.isDryRun
        try erase(call, id, places, isDryRun: isDryRun) { [self] outcome in
            let drafts = await namesOfDrafts(of: id, for: call)
            var text = call.jsonText()
            text.object { text in
                text.describe(outcome, isDryRun: isDryRun)
                // They still have it: a draft is a document of its own, with work in it.
                if !drafts.isEmpty { text.texts("drafts", drafts) }
            }
            return call.json(text, revision: outcome.document.revision)
        }
    }

    /// `DELETE` with `?purge`.
    func purgeAll(_ call: Call, _ id: DocumentID) throws(Problem) {
        try erase(call, id, [], isDryRun: false) { outcome in
            HTTPResponse(status: 204, fields: [call.entityTag(outcome.document.revision)])
        }
    }

    private func erase(
        _ call: Call, _ id: DocumentID, _ places: [PointerPattern], isDryRun: Bool,
        _ response: @escaping @Sendable (ErasureOutcome) async -> HTTPResponse
    ) throws(Problem) {
        let request = ErasureRequest(
            places, actor: try call.actor(), label: try call.label(),
            promptBy: try call.promptBy(), precondition: try call.precondition(),
            isDryRun: isDryRun)
        task(call, of: id) { [self] () async throws(Problem) in
            let outcome = try await call.found(await store.erase(id, request))
            if !isDryRun, let change = outcome.change {
                call.observer?.changed(change.kind.name, isRepeated: false)
            }
            call.send(await response(outcome))
        }
    }
}

extension JSONText {
    fileprivate mutating func describe(_ outcome: ErasureOutcome, isDryRun: Bool) {
        document(outcome.document.id)
        revision("revision", outcome.document.revision)
        revision("version", outcome.document.history.currentID)
        if let change = outcome.change {
            member("change") { $0.describe(change) }
        } else {
            member("change", .null)
        }
        member("erased", outcome.erasedCount)
        if isDryRun { member("dryRun", true) }
        describe(outcome.document)
    }
}
