extension Change {
    /// What few changes have. A class of its own, so that all others carry one word for it, and a
    /// change is copied as quickly as before.
    final class RareParts: Sendable, Equatable {
        let transaction: TransactionPart?
        let selection: ChangeSelection?
        let takesBack: Int?

        init(
            transaction: TransactionPart? = nil, selection: ChangeSelection? = nil,
            takesBack: Int? = nil
        ) {
            self.transaction = transaction
            self.selection = selection
            self.takesBack = takesBack
        }

        static func == (left: RareParts, right: RareParts) -> Bool {
            left.transaction == right.transaction && left.selection == right.selection
                && left.takesBack == right.takesBack
        }
    }

    /// The transaction that it is a part of.
    public internal(set) var transaction: TransactionPart? {
        get { rare?.transaction }
        set {
            rare = RareParts(transaction: newValue, selection: selection, takesBack: takesBack)
        }
    }

    /// Which edits it was meant to take back, if it was about many.
    public internal(set) var selection: ChangeSelection? {
        get { rare?.selection }
        set {
            rare = RareParts(transaction: transaction, selection: newValue, takesBack: takesBack)
        }
    }

    /// The change that it takes back, if that made the document or ended it: so it ends the
    /// document, or brings it back.
    var takesBack: Int? {
        get { rare?.takesBack }
        set {
            rare = RareParts(transaction: transaction, selection: selection, takesBack: newValue)
        }
    }
}
