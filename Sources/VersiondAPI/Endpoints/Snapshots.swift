import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Named copies of a document's value, or of chosen places in it.

extension DocumentsAPI {
    /// `GET …/snapshots`
    func snapshots(_ call: Call, _ id: DocumentID) throws(Problem) {
        try reading(call, id) { document, text in
            text.name("snapshots")
            text.array(document.snapshots.sorted { $0.key < $1.key }) { text, entry in
                text.object { $0.describe(entry.value, key: entry.key) }
            }
        }
    }

    /// `DELETE …/snapshots/{snapshot}`
    func deleteSnapshot(_ call: Call, _ id: DocumentID, _ key: String) throws(Problem) {
        try submit(call, id, .removeSnapshot(Name(key)))
    }

    /// `POST …/snapshots/{snapshot}/restore`: puts back what the snapshot holds, as one version.
    func restoreSnapshot(_ call: Call, _ id: DocumentID, _ key: String) throws(Problem) {
        let address = StateAddress.snapshot(Name(key))
        change(call, id) { [self] head, past throws(Problem) in
            let places = try call.followed([.root], from: address, head, to: head, past)
            try submit(call, id, .restore(Name(key), places))
        }
    }

    /// `PUT …/snapshots/{snapshot}`: of the whole, or of `{"paths":["/price",…]}`. A snapshot that
    /// exists is replaced, unless `If-None-Match: *`, which is about the snapshot here.
    func putSnapshot(_ call: Call, _ id: DocumentID, _ key: String) throws(Problem) {
        let pointers = try call.command().pointers("paths")
        var condition = try call.precondition()
        let isNew = condition.noneMatch == .any
        if isNew { condition.noneMatch = nil }
        try submit(call, id, .snapshot(Name(key), pointers, isNew: isNew), precondition: condition)
    }

    /// `GET …/snapshots/{snapshot}`: what the snapshot holds; with `?path=` one place of it, as the
    /// value alone.
    func readSnapshot(_ call: Call, _ id: DocumentID, _ key: String) throws(Problem) {
        let pointer = try DocumentsAPI.pointer(call)
        let precondition = try call.precondition()
        store.read(id) { result in
            call.respond { () throws(Problem) in
                let document = try call.found(result)
                if let response = try call.conditional(precondition, document.revision) {
                    return response
                }
                guard let snapshot = document.snapshots[Name(key)] else {
                    throw call.problem(.unknownSnapshot(Name(key)))
                }
                guard let pointer else {
                    var text = call.jsonText()
                    text.object { text in
                        text.document(id)
                        text.describe(snapshot, key: Name(key))
                        text.values(of: snapshot)
                    }
                    return call.json(text, revision: document.revision)
                }
                guard let value = snapshot.value(at: pointer) else {
                    throw Problem(.unknownValue, "The snapshot has no value at \(pointer).")
                        .with("path", .text(pointer.description))
                }
                return call.value(value, revision: document.revision)
            }
        }
    }
}

extension JSONText {
    fileprivate mutating func describe(_ snapshot: Snapshot, key: Name) {
        member("snapshot", key)
        revision("revision", snapshot.revision)
        if snapshot.actor != .nobody { member("actor", snapshot.actor) }
        member("time", RFC3339.text(snapshot.time))
        if snapshot.isWhole { return }
        name("paths")
        array(snapshot.places) { $0.value(JSON($1.pointer.description)) }
    }

    /// The whole as `value`; places as `values`, by their pointers, without those that had none.
    fileprivate mutating func values(of snapshot: Snapshot) {
        if snapshot.isWhole { return member("value", snapshot.places[0].value ?? .null) }
        member(
            "values",
            JSON(
                members: snapshot.places.compactMap { place in
                    place.value.map { (place.pointer.description, $0) }
                }))
    }
}
