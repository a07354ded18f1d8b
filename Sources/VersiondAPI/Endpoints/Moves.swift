import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Undo, redo, go to, seal, tags and scopes.

extension DocumentsAPI {
    /// `POST …/undo`: `{"count":n}`, `{"to":tag}`, `{"scope":true}`, or nothing for one version;
    /// `{"actor":a}` and `{"change":n}` for edits that others came after. With `"dryRun":true` it
    /// nothing is changed.
    func undo(_ call: Call, _ id: DocumentID) throws(Problem) {
        let body = try MoveBody(call)
        let action: ChangeRequest.Action =
            if let options = body.ownUndo(isRedo: false) {
                .revert(options)
            } else {
                .move(
                    body.move(
                        count: { .undo(count: $0) }, to: { .undoTo(tag: Name($0)) },
                        scope: .undoScope))
            }
        try submit(call, id, action, isDryRun: body.isDryRun)
    }

    /// `POST …/redo`: as undo.
    func redo(_ call: Call, _ id: DocumentID) throws(Problem) {
        let body = try MoveBody(call)
        let action: ChangeRequest.Action =
            if let options = body.ownUndo(isRedo: true) {
                .revert(options)
            } else {
                .move(
                    body.move(
                        count: { .redo(count: $0) }, to: { .redoTo(tag: Name($0)) },
                        scope: .redoScope))
            }
        try submit(call, id, action, isDryRun: body.isDryRun)
    }

    /// `POST …/goto`: `{"version":n}`, `{"tag":t}`, or `{"to":address}` for any state that a
    /// version is. Absolute, so it can be tried again.
    func goTo(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let version = body.number("version", 0...Int.max)
        let tag = body.text("tag", "the name of a tag")
        let address = body.text("to", "a revision, version:N, tag:NAME or a time")
        let isDryRun = body.flag("dryRun")
        let named = body.present(["version", "tag", "to"])
        if named.count != 1 {
            body.fault("", "goto needs a version, a tag or to, and only one of them.")
        }
        try body.finish(hint: "-d '{\"version\":3}' or -d '{\"tag\":\"draft\"}'")
        if let address {
            return try go(call, id, to: try StateAddress(address, named: "to"), isDryRun: isDryRun)
        }
        try submit(
            call, id, .move(version.map { .goTo(version: $0) } ?? .goToTag(Name(tag ?? ""))),
            isDryRun: isDryRun)
    }

    /// Goes to the version that stands at an address.
    private func go(
        _ call: Call, _ id: DocumentID, to address: StateAddress, isDryRun: Bool
    ) throws(Problem) {
        store.withPast(of: id, while: call.isAwaited) { [self] found in
            do throws(Problem) {
                let (head, past) = try DocumentsAPI.living(found)
                let version = try address.version(head, past)
                try submit(call, id, .move(.goTo(version: version)), isDryRun: isDryRun)
            } catch {
                refuseUnlessRepeated(call, id, error)
            }
        }
    }

    /// `POST …/seal`: ends the open group.
    func seal(_ call: Call, _ id: DocumentID) throws(Problem) {
        try call.noBody()
        store.seal(id, if: try call.precondition()) { [self] result in
            do throws(Problem) {
                _ = try DocumentsAPI.found(result)
                try status(call, id)
            } catch {
                call.refuse(error)
            }
        }
    }

    /// `POST …/scopes/push`: when its owner does nothing for the `ttl`, the scope closes by itself,
    /// as `policy` says.
    func pushScope(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let lifetime = body.duration("ttl", Limits.scopeLifetime)
        let policy = body.member("policy", "\"pop\" or \"discard\"") { value in
            [ScopeExpiry.Policy.pop, .discard].first { $0.name == value.string }
        }
        try body.finish(hint: "-d '{\"ttl\":\"10m\",\"policy\":\"discard\"}'")
        try submit(call, id, .pushScope(lifetime: lifetime, policy: policy ?? .pop))
    }

    /// `POST …/scopes/pop`; with `{"force":true}` also what somebody else opened.
    func popScope(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let isForced = body.flag("force")
        let isDryRun = body.flag("dryRun")
        try body.finish()
        if isForced { try call.needsRightToUndoOthers() }
        try submit(call, id, .popScope(isForced: isForced), isDryRun: isDryRun)
    }

    /// `POST …/scopes/discard`: takes back what its owner did in it; with `{"all":true}` what
    /// anybody did. `force` also closes what somebody else opened.
    func discardScope(_ call: Call, _ id: DocumentID) throws(Problem) {
        var body = try ControlBody(call)
        let policy = body.conflictPolicy()
        let isAll = body.flag("all")
        let isDryRun = body.flag("dryRun")
        if isAll && policy == .skip { body.fault("skip", "With all, nothing is in conflict.") }
        try body.finish()
        if policy == .force { try call.needsRightToUndoOthers() }
        try submit(
            call, id,
            .discardScope(isForced: policy == .force, isAll: isAll, policy: policy),
            isDryRun: isDryRun)
    }

    /// `GET …/scopes`: the open ones, outermost first.
    func scopes(_ call: Call, _ id: DocumentID) throws(Problem) {
        try reading(call, id) { document, text in
            let state = document.history.state
            text.name("scopes")
            text.array(state.scopes.enumerated()) { text, scope in
                text.object { text in
                    text.member("level", scope.offset + 1)
                    text.member("version", state.versions[Int(scope.element.base)].id)
                    text.member("owner", scope.element.owner)
                    if let expiry = scope.element.expiry { text.describe(expiry) }
                }
            }
        }
    }

    /// `GET …/tags`: the tags of every scope level, undo and redo side.
    func tags(_ call: Call, _ id: DocumentID) throws(Problem) {
        try reading(call, id) { document, text in
            let tags = document.history.tags.sorted {
                ($0.version, $0.name) < ($1.version, $1.name)
            }
            text.name("tags")
            text.array(tags) { $0.describe($1, of: document) }
        }
    }

    /// `GET …/tags/{tag}`
    func readTag(_ call: Call, _ id: DocumentID, _ name: String) throws(Problem) {
        try reading(call, id) { document, text throws(Problem) in
            guard let tag = document.history.tags.first(where: { $0.name == Name(name) }) else {
                throw Problem(VersionError.unknownTag(Name(name)))
            }
            text.name("tag")
            text.describe(tag, of: document)
        }
    }

    /// `DELETE …/tags/{tag}`
    func deleteTag(_ call: Call, _ id: DocumentID, _ name: String) throws(Problem) {
        try call.noBody()
        try submit(call, id, .removeTag(Name(name)))
    }

    /// `PUT …/tags/{tag}`: names the current version, or `{"version":n}`. An existing tag moves,
    /// unless `If-None-Match: *`, which is about the tag here.
    func putTag(_ call: Call, _ id: DocumentID, _ name: String) throws(Problem) {
        var body = try ControlBody(call)
        let version = body.number("version", 0...Int.max)
        try body.finish()
        var condition = try call.precondition()
        let isNew = condition.noneMatch == .any
        if isNew { condition.noneMatch = nil }
        try submit(
            call, id, .tag(Name(name), version: version, isNew: isNew), precondition: condition)
    }

    /// Responds with the document's revision and state, and what `body` adds.
    func reading(
        _ call: Call, _ id: DocumentID,
        _ body: @escaping @Sendable (Document, inout JSONText) throws(Problem) -> Void
    ) throws(Problem) {
        let precondition = try call.precondition()
        store.read(id) { result in
            call.respond { () throws(Problem) in
                let document = try DocumentsAPI.found(result)
                if let response = try call.conditional(precondition, document.revision) {
                    return response
                }
                var failure: Problem?
                var text = JSONText()
                text.object { text in
                    text.member("document", document.id.name)
                    text.member("revision", document.revision)
                    text.member("version", document.history.currentID)
                    do throws(Problem) { try body(document, &text) } catch { failure = error }
                    text.describe(document)
                }
                if let failure { throw failure }
                return call.json(text, revision: document.revision)
            }
        }
    }
}

extension ScopeExpiry.Policy {
    /// The word for it.
    var name: String {
        switch self {
        case .pop: "pop"
        case .discard, .discardOwn: "discard"
        }
    }
}

extension JSONText {
    /// When a scope closes by itself, and how.
    mutating func describe(_ expiry: ScopeExpiry) {
        let end = Timestamp(milliseconds: expiry.deadline.milliseconds)
        member("expires", RFC3339.text(end))
        member("policy", expiry.policy.name)
    }

    fileprivate mutating func describe(
        _ tag: (name: Name, version: Int, scopeLevel: Int), of document: Document
    ) {
        object { text in
            text.member("tag", tag.name)
            text.member("version", tag.version)
            text.member("scopeLevel", tag.scopeLevel)
            text.member("isCurrent", tag.version == document.history.currentID)
        }
    }
}
