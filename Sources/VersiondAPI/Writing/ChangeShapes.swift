import Documents
import JSONTree
import Journaling
import Naming
import SelectiveUndo
import VersioningKit

// Changes as responses and feeds show them.

extension JSONText {
    /// Writes the result of a request about a document; without patches for which there is no
    /// `room`.
    mutating func describe(
        _ outcome: Outcome, _ patch: [UInt8], _ missed: [UInt8], room: Int = .max
    ) {
        switch outcome {
        case .made(let made, _): describe(made.change, patch: patch, made.document, room: room)
        case .nothing(let document, _): describe(nil, patch: patch, document, room: room)
        case .dryRun(let change, let document, _):
            describe(change, patch: patch, document, room: room)
        }
        if let merge = outcome.merge { describe(merge, missed: missed, room: room - patch.count) }
        if let count = outcome.violationCount { member("violations", count) }
    }

    /// The same of one of several results, which takes its patches from the room for all.
    mutating func describe(
        _ outcome: Outcome, _ patch: [UInt8], _ missed: [UInt8], within room: inout Int
    ) {
        describe(outcome, patch, missed, room: room)
        for part in [patch, missed] where part.count <= room { room -= part.count }
    }

    /// A change and what the document is after it: in responses and in feeds.
    mutating func describe(
        _ change: Change?, patch: [UInt8], _ document: Document, room: Int = .max
    ) {
        self.document(document.id)
        // A dry run may be about a document that there is not.
        let isThere = document.life != .unborn
        revision("revision", isThere ? document.revision : nil)
        revision("version", isThere ? document.history.currentID : nil)
        member("patch", orBytes: "patchBytes", patch, room)
        if let change {
            member("change") { $0.describe(change) }
        } else {
            member("change", .null)
        }
        describe(document)
    }

    /// Writes a patch, or its length if there is no room for it.
    private mutating func member(
        _ name: String, orBytes count: String, _ patch: [UInt8], _ room: Int
    ) {
        if patch.count <= room { member(name, raw: patch) } else { member(count, patch.count) }
    }

    /// Writes the actor's next undo and redo.
    mutating func describe(_ own: OwnAvailability) {
        member("own") { text in
            text.member("actor", own.actor)
            text.member("hasUndo", own.hasUndo)
            text.member("hasRedo", own.hasRedo)
        }
    }

    /// Writes the edits that the client has missed, and the conflicts with other actors.
    mutating func describe(_ merge: MergeReport, missed: [UInt8], room: Int = .max) {
        revision("base", merge.base)
        member("missed", orBytes: "missedBytes", missed, room)
        if merge.conflicts.isEmpty { return }
        let (places, with) = merge.conflicts.described
        member("conflicts", places)
        revisions("with", with)
    }

    /// The members that every response about a document has.
    mutating func describe(_ document: Document) {
        member("hasUndo", document.history.hasUndo)
        member("hasRedo", document.history.hasRedo)
        member("scopeLevel", document.history.scopeLevel)
    }

    /// A change without its patch.
    mutating func describe(_ change: Change) {
        revision("revision", change.revision)
        member("kind", change.kind.name)
        switch change.kind {
        case .append(let joins, let tag):
            member("joins", joins)
            if let tag { member("tag", tag) }
        case .move(let version, _): revision("version", version)
        case .revert(let changes), .discardScope(let changes?): describe(changes, of: change)
        case .snapshot(let key, let pointers):
            member("snapshot", key)
            if pointers != [.root] {
                name("paths")
                array(pointers) { $0.value(JSON($1.description)) }
            }
        case .removeSnapshot(let key), .restore(let key): member("snapshot", key)
        case .tag(let tag, let version):
            member("tag", tag)
            revision("version", version)
        case .removeTag(let tag): member("tag", tag)
        case .popScope(let isChanged, let owner):
            member("isChanged", isChanged)
            if let owner { member("owner", owner) }
        case .touch(let tag):
            member("makesVersion", false)
            if let tag { member("tag", tag) }
        case .pushScope(let expiry?): describe(expiry)
        case .copy(let origin): member("copyOf", place(origin.document, origin.revision))
        case .purge(let places):
            name("paths")
            array(places) { $0.value(JSON($1.description)) }
        case .delete, .undelete:
            // The end of a draft says there that its merge changed nothing in the origin.
            if !change.elsewhere.isEmpty && change.draft == nil { describe([], change.elsewhere) }
        case .create, .pushScope, .discardScope, .settings, .forgotten, .foundation, .update,
            .merge:
            break
        case .origin(let origin): member("origin", origin.map { JSON($0.name) } ?? .null)
        }
        if let name = change.renamedTo { member("renamedTo", name.name) }
        if let record = change.draft { describe(record, of: change) }
        if let merged = change.merged { describe(merged) }
        if let selection = change.selection { describe(selection) }
        if let transaction = change.transaction { describe(transaction) }
        if let base = change.base { revision("base", base) }
        if let group = change.group { revision("group", group) }
        if change.actor != .nobody { member("actor", change.actor) }
        if let promptBy = change.promptBy { member("promptBy", promptBy) }
        member("time", RFC3339.text(change.time))
        if let label = change.label { member("label", label) }
    }
}

extension ChangeSelection.Bound {
    /// As an address.
    fileprivate func text(_ numbering: Numbering) -> String {
        switch self {
        case .revision(let revision): "\(numbering.shown(revision))"
        case .time(let time): RFC3339.text(time)
        }
    }
}

extension JSONText {
    /// Where a draft is from, what of its origin an update took, and into which change it was
    /// merged.
    private mutating func describe(_ record: DraftRecord, of change: Change) {
        let place = place(record.origin, record.originRevision)
        switch change.kind {
        case .create: member("copyOf", place)
        case .update: member("from", place)
        default: member("into", place)
        }
    }

    /// Which draft was merged, and who made it.
    private mutating func describe(_ merged: MergedDraft) {
        member("from", place(merged.draft, merged.revision))
        texts("authors", merged.authors.map(\.text))
    }

    /// The transaction that a change is a part of.
    mutating func describe(_ part: TransactionPart) {
        member("transaction") { text in
            text.member("id", text.place(part.leader.document, part.leader.revision))
            text.member("part", part.number)
            text.member("count", part.count)
        }
    }

    /// Writes the criteria of an undo.
    private mutating func describe(_ selection: ChangeSelection) {
        member("all") { text in
            if let actor = selection.actor { text.member("actor", actor) }
            if let label = selection.label { text.member("label", label) }
            if let since = selection.since { text.member("since", since.text(text.numbering)) }
            if let until = selection.until { text.member("until", until.text(text.numbering)) }
            if !selection.places.isEmpty {
                text.texts("paths", selection.places.map(\.description))
            }
        }
    }

    /// Writes the effect of an own undo or redo: the undone or redone changes, those skipped as
    /// invisible, and those that stayed, here or in other documents.
    private mutating func describe(_ reversal: Reversal, of change: Change) {
        let passed = Set(reversal.passed)
        revisions("undone", reversal.undone.filter { !passed.contains($0) })
        revisions("redone", reversal.redone.filter { !passed.contains($0) })
        revisions("passed", reversal.passed)
        describe(reversal.skipped, change.elsewhere)
        if !reversal.kept.isEmpty { texts("kept", reversal.kept.map(\.description)) }
        if let owner = reversal.actor, owner != change.actor { member("of", owner) }
        if reversal.isForced { member("conflict", "mine") }
    }

    /// Writes the changes that stayed because of later work of others, and the results of parts in
    /// other documents.
    private mutating func describe(_ skipped: [Conflict], _ elsewhere: [PartElsewhere]) {
        // One actor undoes edits in documents of many readers.
        let elsewhere = elsewhere.filter { mayName($0.place.document) }
        let left = elsewhere.filter { !$0.isDeleted }
        name("skipped")
        array(0..<(skipped.count + left.count)) { text, place in
            text.object { text in
                place < skipped.count
                    ? text.describe(skipped: skipped[place])
                    : text.describe(left[place - skipped.count])
            }
        }
        let deleted = elsewhere.filter(\.isDeleted)
        if deleted.isEmpty { return }
        name("deletedDocuments")
        array(deleted) { text, part in text.object { $0.describe(part) } }
    }

    /// A change that stays because of later work.
    mutating func describe(skipped conflict: Conflict) {
        revision("revision", conflict.change)
        describe([conflict])
    }

    private mutating func describe(_ part: PartElsewhere) {
        document(part.place.document)
        switch part.fate {
        case .skipped(let conflict): describe(skipped: conflict)
        case .absent:
            revision("revision", part.place.revision)
            if let error = part.fate.absence { member("absent", Problem(error).kind.code) }
        case .deleted(let revisions):
            revision("revision", part.place.revision)
            self.revisions("with", revisions)
        }
    }
}

extension PartElsewhere {
    fileprivate var isDeleted: Bool { if case .deleted = fate { true } else { false } }
}
