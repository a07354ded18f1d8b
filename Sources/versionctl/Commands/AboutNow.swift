import ArgumentParser

/// A command about what a document is now: a state of it would not be looked at.
protocol AboutNow: ParsableCommand {
    var documents: [DocumentAddress] { get }
}

extension AboutNow {
    func checkIsNow() throws(Trouble) {
        for document in documents { try document.checkIsNow(Self._commandName) }
    }
}

/// A command that changes what has no revision of its own, so that `--if-match` cannot be meant.
protocol WithoutRevision: ParsableCommand {
    var change: ChangeOptions { get }
}

extension WithoutRevision {
    func checkHasNoRevision() throws(Trouble) {
        guard change.ifMatch != nil else { return }
        throw Trouble(.usage, "--if-match means nothing to \(Self._commandName).")
    }
}

extension ChangeOptions {
    /// Throws if it is to be said what would happen, which nobody can.
    func checkIsReal(_ what: String) throws(Trouble) {
        if dryRun { throw Trouble(.usage, "--dry-run means nothing to \(what).") }
    }
}

/// A command with one document.
protocol AboutDocument: AboutNow {
    var document: DocumentAddress { get }
}

extension AboutDocument {
    var documents: [DocumentAddress] { [document] }
}

/// A command with one draft.
protocol AboutDraft: AboutNow {
    var draft: DocumentAddress { get }
}

extension AboutDraft {
    var documents: [DocumentAddress] { [draft] }
}
