import HTTPCalling
import JSONTree

// Pending steps as requests.

extension StepRequest {
    /// The request for a document; the same, byte by byte, at each repetition. `actor`: whose steps
    /// an undo undoes, unless it names a change; everyone's if empty.
    func call(_ path: String, key: String, actor: String) -> HTTPCall {
        switch self {
        case .edit(let edit): edit.call(path, key)
        case .command(let name, let body):
            HTTPCall(
                "POST", "\(path)/\(name)", StepRequest.fields("application/json", key),
                body: StepRequest.own(body, actor).serialized())
        }
    }

    /// The body of a command, with the actor.
    private static func own(_ body: JSON, _ actor: String) -> JSON {
        let hasTarget = body["revision"] != nil || actor.isEmpty
        return hasTarget ? body : JSON(members: [("actor", JSON(actor))])
    }

    fileprivate static func fields(
        _ type: String, _ key: String
    ) -> [(name: String, value: String)] {
        [
            ("Content-Type", type), ("Idempotency-Key", key),
            ("Prefer", "text-operations, own-undo"),
        ]
    }
}

extension StepRequest.Edit {
    fileprivate func call(_ path: String, _ key: String) -> HTTPCall {
        var query = "base=\(base)&conflict=\(policy == .theirs ? "theirs" : "mine")"
        if !own.isEmpty { query += "&own=\(own.map(\.text).joined(separator: ",").escaped)" }
        if let group { query += "&group=\(group.escaped)" }
        if let label { query += "&label=\(label.escaped)" }
        return HTTPCall(
            "PATCH", "\(path)?\(query)",
            StepRequest.fields("application/json-patch+json", key), body: operations.serialized())
    }
}

extension StepRequest.Own {
    fileprivate var text: String {
        switch self {
        case .revision(let revision): String(revision)
        case .key(let key): key
        }
    }
}

extension MergeEdit {
    /// More edits than this go in several requests, as do more bytes.
    private static let portionMax = (count: 5_000, bytes: 4 << 20)

    /// The first of these edits that go in one request.
    static func portion(_ edits: [MergeEdit]) -> Int {
        var (count, bytes) = (0, 0)
        while count < edits.count, count < portionMax.count {
            bytes += [edits[count]].textOperations.serialized().count
            if bytes > portionMax.bytes, count > 0 { break }
            count += 1
        }
        return count
    }
}

extension ReplicaChange {
    /// A change as the feed has it, or a response; `nil` if it is none.
    init?(_ item: JSON, key: String? = nil) {
        guard let revision = item["revision"]?.int, let kind = item["change"]?["kind"]?.string,
            let operations = item["patch"],
            let patch = try? JSONPatch(operations, limits: .stored)
        else { return nil }
        self.init(
            revision: revision, patch: patch, kind: kind, key: key ?? item["key"]?.string,
            wonSince: item["wonSince"]?.int)
    }
}
