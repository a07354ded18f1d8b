package import Journaling
import SelectiveUndo

extension Change.Kind {
    /// The properties that all changes of a kind share. A new kind declares its own here.
    package struct Traits: Sendable {
        /// The word for it in HTTP, logs and documentation.
        let name: String
        /// The effect on the document's life, for the journal.
        package let lifecycle: JournalEntry.Lifecycle
        /// Whether it is a step from one version to another, which undo can revert.
        let makesVersion: Bool
        /// Whether it is what a client sent as an edit.
        let isEdit: Bool

        init(
            _ name: String, _ lifecycle: JournalEntry.Lifecycle = .goesOn,
            makesVersion: Bool = false, isEdit: Bool = false
        ) {
            self.name = name
            self.lifecycle = lifecycle
            self.makesVersion = makesVersion
            self.isEdit = isEdit
        }
    }

    package var traits: Traits {
        switch self {
        case .create: Traits("create", .begins)
        case .append: Traits("append", makesVersion: true, isEdit: true)
        case .touch: Traits("append", isEdit: true)
        case .move(_, let direction): Traits(direction.name)
        case .revert(let reversal):
            Traits(reversal.undone.isEmpty ? "redo" : "undo", makesVersion: true)
        case .snapshot: Traits("snapshot")
        case .removeSnapshot: Traits("remove-snapshot")
        case .restore: Traits("restore", makesVersion: true)
        case .update: Traits("update", makesVersion: true)
        case .merge: Traits("merge")
        case .origin: Traits("origin")
        case .tag: Traits("tag")
        case .removeTag: Traits("remove-tag")
        case .pushScope: Traits("push-scope")
        case .popScope: Traits("pop-scope")
        case .discardScope(let reversal):
            Traits("discard-scope", makesVersion: reversal?.isEmpty == false)
        case .settings: Traits("settings")
        case .delete: Traits("delete", .ends)
        case .undelete: Traits("undelete", .begins)
        case .copy(let origin): Traits(origin.isRename ? "rename" : "copy")
        case .purge(let places): Traits("purge", places.isEmpty ? .ends : .goesOn)
        case .forgotten, .foundation: Traits("forgotten")
        }
    }

    /// The word for it in HTTP, logs and documentation.
    public var name: String { traits.name }
}

extension Change.Direction {
    fileprivate var name: String {
        switch self {
        case .undo: "undo"
        case .redo: "redo"
        case .goTo: "goto"
        }
    }
}
