import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import Sentences
import VersioningKit

// The available undo and redo.

extension DocumentsAPI {
    /// `GET …/status?actor=`: what shared undo and redo would do, and an actor's own.
    func status(_ call: Call, _ id: DocumentID) throws(Problem) {
        var question = StatusQuestion(mayUndoOthers: call.grant.rights.contains(.undoOthers))
        question.caller = try call.actor()
        question.tokenName = Name(call.grant.name)
        question.mayDelete = call.grant.rights.contains(.admin)
        question.mayReach = call.mayChange
        if let actor = call.query("actor") {
            question.actor = try call.name(actor, of: "actor")
        }
        store.status(id, question, isLocal: call.isLocal) { result in
            call.respond { () throws(Problem) in call.json(try call.found(result)) }
        }
    }
}

extension Call {
    /// Without an ETag: a group is sealed without a new revision.
    fileprivate func json(_ status: DocumentStatus) -> HTTPResponse {
        let document = status.document
        let history = document.history
        var text = jsonText()
        text.object { text in
            text.document(document.id)
            text.revision("revision", document.revision)
            text.revision("version", history.currentID)
            text.member("hasUndo", status.hasUndo)
            text.member("hasRedo", status.hasRedo)
            text.member("scopeLevel", history.scopeLevel)
            text.member("undoCount", history.undoCount)
            text.member("redoCount", history.redoCount)
            text.member("versionCount", history.state.versions.count)
            text.revision("oldestRevision", document.oldestRevision)
            text.member("bytes", document.tree.byteCount)
            text.member("time", RFC3339.text(document.time))
            if let held = status.heldBy {
                text.member("heldBy") { text in
                    text.member("tag", held.tag)
                    text.revision("version", held.version)
                }
            }
            if let count = document.violationCount { text.member("violations", count) }
            text.describeGroup(of: history)
            if let own = status.own { text.describe(own: own) }
            if let part = status.nextTransaction { text.describe(part) }
            text.describe(status.lastFault)
        }
        return json(text)
    }
}

extension JSONText {
    fileprivate mutating func describeGroup(of history: VersionHistory<Int>) {
        guard let group = history.openGroup else { return member("openGroup", .null) }
        func text(_ time: Duration) -> String {
            RFC3339.text(Timestamp(milliseconds: time.milliseconds))
        }
        member("openGroup") { object in
            object.revision("version", history.currentID)
            object.member("actor", group.actor)
            object.member("began", text(group.began))
            object.member("edited", text(group.last))
        }
    }

    fileprivate mutating func describe(_ fault: DocumentFault?) {
        guard let fault else { return member("lastError", .null) }
        let problem = Problem(fault.error.shown(in: numbering))
        member("lastError") { text in
            text.member("code", problem.kind.code)
            text.member("detail", problem.detail.plain)
            text.member("time", RFC3339.text(fault.time))
        }
    }

    fileprivate mutating func describe(own: OwnStatus) {
        member("own") { text in
            text.member("actor", own.actor)
            text.member("hasUndo", own.undo?.isAllowed ?? false)
            text.member("hasRedo", own.redo?.isAllowed ?? false)
            text.describe(own.undo, named: "undo")
            text.describe(own.redo, named: "redo")
        }
    }

    private mutating func describe(_ step: OwnStep?, named name: String) {
        guard let step else { return member(name, .null) }
        member(name) { text in
            text.member("allowed", step.isAllowed)
            if let version = step.version { text.revision("version", version) }
            if let subject = step.subject {
                if let label = subject.label { text.member("label", label) }
                text.member("time", RFC3339.text(subject.time))
                if let part = subject.transaction { text.describe(part) }
            }
            text.revisions("revisions", step.changes)
            if !step.passed.isEmpty { text.revisions("passed", step.passed) }
            if step.isLongAgo { return }
            text.texts("paths", step.places.map(\.description))
            if !step.conflicts.isEmpty { text.describe(step.conflicts) }
        }
    }

    mutating func describe(_ conflicts: [Conflict]) {
        texts("conflicts", Conflict.places(of: conflicts).map(\.description))
        revisions("with", Conflict.revisions(in: conflicts))
    }

    mutating func texts(_ name: String, _ texts: [String]) {
        self.name(name)
        array(texts) { $0.value(JSON($1)) }
    }
}

extension Conflict {
    /// Where work would be lost, over all changes in conflict.
    static func places(of conflicts: [Conflict]) -> [JSONPointer] {
        Set(conflicts.flatMap(\.places)).sorted()
    }

    /// Whose work would be lost, by revisions.
    static func revisions(in conflicts: [Conflict]) -> [Int] {
        Set(conflicts.flatMap(\.with)).sorted()
    }
}
