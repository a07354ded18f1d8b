import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Undo, redo, go to, seal, tags and scopes.

extension DocumentsAPI {
    /// `POST …/undo`: `{"count":n}`, `{"to":address}`, `{"scope":true}`, or nothing for one
    /// version; `{"actor":a}` and `{"revision":n}` for edits that others came after.
    func undo(_ call: Call, _ id: DocumentID) throws(Problem) {
        try undo(call, id, isRedo: false)
    }

    /// `POST …/redo`: as undo.
    func redo(_ call: Call, _ id: DocumentID) throws(Problem) {
        try undo(call, id, isRedo: true)
    }

    private func undo(_ call: Call, _ id: DocumentID, isRedo: Bool) throws(Problem) {
        switch try MoveBody(call, isRedo: isRedo) {
        case .own(let request): try submit(call, id, .revert(request))
        case .to(let address):
            try move(call, id, to: address) { isRedo ? .redoTo($0) : .undoTo($0) }
        case .scope: try submit(call, id, .move(isRedo ? .redoScope : .undoScope))
        case .count(let count):
            try submit(call, id, .move(isRedo ? .redo(count: count) : .undo(count: count)))
        }
    }

    /// `POST …/goto`: `{"to":address}`, for any state that a version is. Absolute, so it can be
    /// tried again.
    func goTo(_ call: Call, _ id: DocumentID) throws(Problem) {
        let to = try call.command()["to"]?.string ?? ""
        let address = try call.state(to, named: "to")
        try move(call, id, to: address) { .goTo($0) }
    }

    private func move(
        _ call: Call, _ id: DocumentID, to address: StateAddress,
        _ move: @escaping @Sendable (Move.Target) -> Move
    ) throws(Problem) {
        try withVersion(call, id, at: address) { [self] target throws(Problem) in
            try submit(call, id, .move(move(target)))
        }
    }

    /// Continues with the version at an address. A version named by its id or tag is resolved when
    /// the change is decided; any other address is resolved now, in the past.
    private func withVersion(
        _ call: Call, _ id: DocumentID, at address: StateAddress,
        _ body: @escaping @Sendable (Move.Target) throws(Problem) -> Void
    ) throws(Problem) {
        switch address {
        case .version(let version): try body(.version(version))
        case .tag(let tag): try body(.tag(tag))
        case .head, .revision, .time, .snapshot, .origin:
            change(call, id) { head, past throws(Problem) in
                try body(.version(try address.version(head, past, for: call)))
            }
        }
    }

    /// `POST …/seal`: ends the open group.
    func seal(_ call: Call, _ id: DocumentID) throws(Problem) {
        store.seal(id, if: try call.precondition()) { [self] result in
            do throws(Problem) {
                _ = try call.found(result)
                try status(call, id)
            } catch {
                call.refuse(error)
            }
        }
    }

    /// `POST …/scopes/push`: when its owner does nothing for the `ttl`, the scope closes by itself,
    /// as `policy` says.
    func pushScope(_ call: Call, _ id: DocumentID) throws(Problem) {
        let body = try call.command()
        let policy = body["policy"] == "discard" ? ScopeExpiry.Policy.discard : .pop
        try submit(call, id, .pushScope(lifetime: body.duration("ttl"), policy: policy))
    }

    /// `POST …/scopes/pop`; with `{"force":true}` also the scope of another actor.
    func popScope(_ call: Call, _ id: DocumentID) throws(Problem) {
        let isForced = try call.command().flag("force")
        if isForced { try call.needsRightToUndoOthers() }
        try submit(call, id, .popScope(isForced: isForced))
    }

    /// `POST …/scopes/discard`: undoes the edits of its owner; with `{"all":true}` those of all
    /// actors. `force` also closes the scope of another actor.
    func discardScope(_ call: Call, _ id: DocumentID) throws(Problem) {
        let body = try call.command()
        let (isForced, isAll) = (body.flag("force"), body.flag("all"))
        let policy = call.conflictPolicy
        if isAll && policy == .theirs {
            throw Problem(
                .malformedRequest, "all excludes conflict=theirs.", hint: "Omit conflict.")
        }
        if isForced || policy == .mine { try call.needsRightToUndoOthers() }
        try submit(call, id, .discardScope(isForced: isForced, isAll: isAll, policy: policy))
    }

    /// `GET …/scopes`: the open ones, outermost first.
    func scopes(_ call: Call, _ id: DocumentID) throws(Problem) {
        try reading(call, id) { document, text in
            let state = document.history.state
            text.name("scopes")
            text.array(state.scopes.enumerated()) { text, scope in
                text.object { text in
                    text.member("scopeLevel", scope.offset + 1)
                    text.revision("version", state.versions[Int(scope.element.opening)].id)
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
        try readingItem(call, id) { document, text throws(Problem) in
            guard let tag = document.history.tags.first(where: { $0.name == Name(name) }) else {
                throw Problem(VersionError.unknownTag(Name(name)))
            }
            text.members(of: tag, document)
        }
    }

    /// `DELETE …/tags/{tag}`
    func deleteTag(_ call: Call, _ id: DocumentID, _ name: String) throws(Problem) {
        try submit(call, id, .removeTag(Name(name)))
    }

    /// `PUT …/tags/{tag}`: names the current version, or `{"at":address}`. An existing tag moves,
    /// unless `If-None-Match: *`, which is about the tag here.
    func putTag(_ call: Call, _ id: DocumentID, _ name: String) throws(Problem) {
        let at = try call.command()["at"]?.string
        var precondition = try call.precondition()
        let isNew = precondition.noneMatch == .any
        if isNew { precondition.noneMatch = nil }
        let condition = precondition
        guard let at else {
            return try submit(
                call, id, .tag(Name(name), version: nil, isNew: isNew), precondition: condition)
        }
        let address = try call.state(at, named: "at")
        try withVersion(call, id, at: address) { [self] target throws(Problem) in
            try submit(
                call, id, .tag(Name(name), version: target, isNew: isNew), precondition: condition)
        }
    }

    /// Responds with a list of the document, and the document's revision and state.
    func reading(
        _ call: Call, _ id: DocumentID,
        _ body: @escaping @Sendable (Document, inout JSONText) throws(Problem) -> Void
    ) throws(Problem) {
        try readingItem(call, id) { document, text throws(Problem) in
            text.revision("revision", document.revision)
            text.revision("version", document.history.currentID)
            try body(document, &text)
            text.describe(document)
        }
    }

    /// Responds with one item of the document: its members and the document's name.
    func readingItem(
        _ call: Call, _ id: DocumentID,
        _ body: @escaping @Sendable (Document, inout JSONText) throws(Problem) -> Void
    ) throws(Problem) {
        let precondition = try call.precondition()
        store.read(id) { result in
            call.respond { () throws(Problem) in
                let document = try call.found(result)
                if let response = try call.conditional(precondition, document.revision) {
                    return response
                }
                var failure: Problem?
                var text = call.jsonText()
                text.object { text in
                    text.document(document.id)
                    do throws(Problem) { try body(document, &text) } catch { failure = error }
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

    fileprivate mutating func members(
        of tag: (name: Name, version: Int, scopeLevel: Int), _ document: Document
    ) {
        member("tag", tag.name)
        revision("version", tag.version)
        member("scopeLevel", tag.scopeLevel)
        member("isCurrent", tag.version == document.history.currentID)
    }

    fileprivate mutating func describe(
        _ tag: (name: Name, version: Int, scopeLevel: Int), of document: Document
    ) {
        object { $0.members(of: tag, document) }
    }
}
