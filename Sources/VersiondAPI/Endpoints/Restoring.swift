import AccessControl
import Documents
import JSONTree
import Journaling
import VersioningKit

// Restores another state of a document.

extension DocumentsAPI {
    /// `POST …/restore`: `{"from":"version:12"}` puts back the whole, with `"paths"` only these
    /// places, as one edit.
    func restoreState(_ call: Call, _ id: DocumentID) throws(Problem) {
        let body = try call.command()
        let pointers = body.pointers("paths")
        let source = body["from"]?.string ?? "head"
        let address = try call.state(source, named: "from")
        change(call, id) { [self] head, past throws(Problem) in
            try submit(
                call, id, try call.puttingBack(pointers, from: address, head, past),
                label: "restored from \(source)")
        }
    }
}

extension Call {
    /// The edit that restores places of another state. Blocks.
    func puttingBack(
        _ places: [JSONPointer], from address: StateAddress, _ head: Document, _ past: DocumentPast
    ) throws(Problem) -> ChangeRequest.Action {
        let isSnapshot = if case .snapshot = address { true } else { false }
        let then = isSnapshot ? head : try address.found(head, past, for: self)
        return try puttingBack(places, from: address, then, head, past)
    }

    /// The same, with the document as it was in that state, or with `head` for a snapshot.
    func puttingBack(
        _ places: [JSONPointer], from address: StateAddress, _ then: Document, _ head: Document,
        _ past: DocumentPast
    ) throws(Problem) -> ChangeRequest.Action {
        var steps: Set<Int> = []
        // The check applies only without the right to undo edits of others.
        if !grant.rights.contains(.undoOthers) {
            steps = Set(then.history.stepsBack)
            if case .snapshot(let key) = address, let taken = head.snapshots[key]?.revision {
                steps = steps.filter { $0 <= taken }
            }
        }
        return .putBack(try followed(places, from: address, then, to: head, past), steps: steps)
    }

    /// Places of a state, followed to the newest one. Blocks.
    func followed(
        _ places: [JSONPointer], from address: StateAddress, _ then: Document, to head: Document,
        _ past: DocumentPast
    ) throws(Problem) -> FollowedPlaces {
        do throws(ChangeError) {
            return try past.followed(places, from: address, then, to: head)
        } catch {
            throw problem(error, about: head.id)
        }
    }
}
