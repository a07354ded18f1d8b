public import Journaling
public import Naming

extension Change {
    /// The parts that few changes have. They are behind one reference, so that all other changes
    /// carry one word for them and are copied as fast as without.
    package final class RareParts: Sendable, Equatable {
        let values: Values

        struct Values: Sendable, Equatable {
            var transaction: TransactionPart?
            var elsewhere: [PartElsewhere] = []
            var selection: ChangeSelection?
            var takesBack: Int?
            var draft: DraftRecord?
            var merged: MergedDraft?
            var settings: DocumentSettings?
            var renamedTo: DocumentID?
            var promptBy: Name?
        }

        init(_ values: Values) {
            self.values = values
        }

        /// The parts of a change that one actor made at another's request; `nil` without a request.
        convenience init?(promptBy: Name?) {
            guard let promptBy else { return nil }
            self.init(Values(promptBy: promptBy))
        }

        package static func == (left: RareParts, right: RareParts) -> Bool {
            left.values == right.values
        }
    }

    /// All of them. To set one copies all.
    var rareValues: RareParts.Values {
        get { rare?.values ?? RareParts.Values() }
        set { rare = newValue == RareParts.Values() ? nil : RareParts(newValue) }
    }

    /// The transaction that it is a part of.
    public package(set) var transaction: TransactionPart? {
        get { rare?.values.transaction }
        set { rareValues.transaction = newValue }
    }

    /// The effects of its transaction in other documents, left out or beyond the named changes;
    /// stored in the changes of the documents that the request named.
    public package(set) var elsewhere: [PartElsewhere] {
        get { rare?.values.elsewhere ?? [] }
        set { rareValues.elsewhere = newValue }
    }

    /// The selection of edits to undo, if the request named one.
    public internal(set) var selection: ChangeSelection? {
        get { rare?.values.selection }
        set { rareValues.selection = newValue }
    }

    /// The creation or end of the document that this change undoes: so it ends the document, or
    /// restores it.
    package var takesBack: Int? {
        get { rare?.values.takesBack }
        set { rareValues.takesBack = newValue }
    }

    /// The relation of the draft to its origin from then on: of its creation, updates and merges.
    public package(set) var draft: DraftRecord? {
        get { rare?.values.draft }
        set { rareValues.draft = newValue }
    }

    /// The draft that was merged by it.
    public internal(set) var merged: MergedDraft? {
        get { rare?.values.merged }
        set { rareValues.merged = newValue }
    }

    /// The document's name from then on, if it ended because it was renamed.
    public package(set) var renamedTo: DocumentID? {
        get { rare?.values.renamedTo }
        set { rareValues.renamedTo = newValue }
    }

    /// The person or program that asked the actor for the change, as the client states it.
    public package(set) var promptBy: Name? {
        get { rare?.values.promptBy }
        set { rareValues.promptBy = newValue }
    }

    /// The settings that a document begins with, if they are those of its origin.
    var settings: DocumentSettings? {
        get { rare?.values.settings }
        set { rareValues.settings = newValue }
    }
}
