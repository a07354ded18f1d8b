import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Changes as responses and feeds show them.

extension JSONText {
    /// What became of a request about a document.
    mutating func describe(_ outcome: Outcome, _ patch: [UInt8], _ missed: [UInt8]) {
        switch outcome {
        case .made(let made, _): describe(made.change, patch: patch, made.document)
        case .nothing(let document, _): describe(nil, patch: patch, document)
        case .dryRun(let change, let document, _): describe(change, patch: patch, document)
        }
        if let merge = outcome.merge { describe(merge, missed: missed) }
        if let count = outcome.violationCount { member("violations", count) }
    }

    /// A change and what the document is after it: in responses and in feeds.
    mutating func describe(_ change: Change?, patch: [UInt8], _ document: Document) {
        member("document", document.id.name)
        // A dry run may be about a document that there is not.
        let isThere = document.life != .unborn
        member("revision", isThere ? document.revision : nil)
        member("version", isThere ? document.history.currentID : nil)
        member("patch", raw: patch)
        if let change {
            member("change") { $0.describe(change) }
        } else {
            member("change", .null)
        }
        describe(document)
    }

    /// What the change's actor can undo and redo now.
    mutating func describe(_ own: OwnAvailability) {
        member("own") { text in
            text.member("actor", own.actor)
            text.member("hasUndo", own.hasUndo)
            text.member("hasRedo", own.hasRedo)
        }
    }

    /// What its maker has missed, and where others had changed the same.
    mutating func describe(_ merge: MergeReport, missed: [UInt8]) {
        member("base", merge.base)
        member("missed", raw: missed)
        if merge.conflicts.isEmpty { return }
        let (places, revisions) = merge.conflicts.described
        member("conflicts", places)
        member("with", revisions)
    }

    /// The members that every response about a document has.
    mutating func describe(_ document: Document) {
        member("hasUndo", document.history.hasUndo)
        member("hasRedo", document.history.hasRedo)
        member("scopeLevel", document.history.scopeLevel)
    }

    /// A change without its patch.
    mutating func describe(_ change: Change) {
        member("revision", change.revision)
        member("kind", change.kind.name)
        switch change.kind {
        case .append(let joins, let tag):
            member("joins", joins)
            if let tag { member("tag", tag) }
        case .move(let version, _): member("version", version)
        case .revert(let changes), .discardScope(let changes?): describe(changes, by: change.actor)
        case .snapshot(let key, let pointers):
            member("snapshot", key)
            if pointers != [.root] {
                name("paths")
                array(pointers) { $0.value(JSON($1.description)) }
            }
        case .removeSnapshot(let key), .restore(let key): member("snapshot", key)
        case .tag(let tag, let version):
            member("tag", tag)
            member("version", version)
        case .removeTag(let tag): member("tag", tag)
        case .popScope(let isChanged, let owner):
            member("isChanged", isChanged)
            if let owner { member("owner", owner) }
        case .touch(let tag):
            member("makesVersion", false)
            if let tag { member("tag", tag) }
        case .pushScope(let expiry?): describe(expiry)
        case .copy(let origin): member("copyOf", "\(origin.document)@\(origin.revision)")
        case .purge(let places):
            name("paths")
            array(places) { $0.value(JSON($1.description)) }
        case .create, .pushScope, .discardScope, .settings, .delete, .undelete, .forgotten,
            .foundation, .update, .merge:
            break
        case .origin(let origin): member("origin", origin.map { JSON($0.name) } ?? .null)
        }
        if let record = change.draft { describe(record, of: change) }
        if let merged = change.merged { describe(merged) }
        if let selection = change.selection { describe(selection) }
        if let transaction = change.transaction { describe(transaction) }
        if let base = change.base { member("base", base) }
        if let group = change.group { member("group", group) }
        if change.actor != .nobody { member("actor", change.actor) }
        member("time", RFC3339.text(change.time))
        if let label = change.label { member("label", label) }
    }
}

extension ChangeSelection.Bound {
    /// As an address.
    fileprivate var text: String {
        switch self {
        case .revision(let revision): "\(revision)"
        case .time(let time): RFC3339.text(time)
        }
    }
}

extension JSONText {
    /// Where a draft is from, what of its origin an update took, and into which change it was
    /// merged.
    private mutating func describe(_ record: DraftRecord, of change: Change) {
        let place = "\(record.origin)@\(record.originRevision)"
        switch change.kind {
        case .create: member("copyOf", place)
        case .update: member("from", place)
        default: member("into", place)
        }
    }

    /// Which draft was merged, and who made it.
    private mutating func describe(_ merged: MergedDraft) {
        member("from", "\(merged.draft)@\(merged.revision)")
        texts("authors", merged.authors.map(\.text))
    }

    /// The transaction that a change is a part of.
    mutating func describe(_ part: TransactionPart) {
        member("transaction") { text in
            text.member("id", part.leader.transactionID)
            text.member("part", part.number)
            text.member("count", part.count)
        }
    }

    /// Which edits an undo was meant to take back.
    private mutating func describe(_ selection: ChangeSelection) {
        member("all") { text in
            if let actor = selection.actor { text.member("actor", actor) }
            if let label = selection.label { text.member("label", label) }
            if let since = selection.since { text.member("since", since.text) }
            if let until = selection.until { text.member("until", until.text) }
            if !selection.places.isEmpty {
                text.texts("paths", selection.places.map(\.description))
            }
        }
    }

    /// What an own undo or redo did: what was undone or redone, what was passed because nothing of
    /// it can be seen, and what stayed because of later work of others.
    mutating func describe(_ reversal: Reversal, by actor: Name) {
        let passed = Set(reversal.passed)
        numbers("undone", reversal.off.filter { !passed.contains($0) })
        numbers("redone", reversal.on.filter { !passed.contains($0) })
        numbers("passed", reversal.passed)
        name("skipped")
        array(reversal.skipped) { text, conflict in
            text.object { text in
                text.member("revision", conflict.change)
                text.describe([conflict])
            }
        }
        if let owner = reversal.actor, owner != actor { member("of", owner) }
        if reversal.isForced { member("conflict", "mine") }
    }
}
