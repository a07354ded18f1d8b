import ArgumentParser
import JSONTree

/// A command that calls a daemon.
protocol DaemonCommand: ParsableCommand {
    var common: CommonOptions { get }
    /// Documents of which the command uses only the newest state.
    var documents: [DocumentAddress] { get }

    func run(_ session: Session) throws
}

extension DaemonCommand {
    var documents: [DocumentAddress] { [] }

    func run() throws {
        for document in documents { try document.checkIsNow(Self._commandName) }
        try run(Session(common))
    }
}

/// A command about what one document is now.
protocol DocumentCommand: DaemonCommand {
    var document: DocumentAddress { get }
}

extension DocumentCommand {
    var documents: [DocumentAddress] { [document] }
}

/// A command that changes one document.
protocol ChangeCommand: DocumentCommand {
    var change: ChangeOptions { get }
}

extension ChangeCommand {
    /// Sends a change of the document, to its path or one below.
    func send(
        _ method: String, _ path: String = "", _ query: [(String, String)] = [],
        body: JSON? = nil, type: String = "application/json", by session: Session
    ) throws(Trouble) -> JSON {
        try session.found(
            document.name,
            try session.change(
                method, document.path + path, change.query + query, body: body?.serialized(),
                type: type, fields: change.fields))
    }

    /// Sends a patch: an array or an object.
    func patch(
        _ patch: JSON, _ query: [(String, String)] = [], by session: Session
    ) throws(Trouble) {
        let kind = patch.elements == nil ? "merge-patch" : "json-patch"
        let answer = try send(
            "PATCH", "", query, body: patch, type: "application/\(kind)+json", by: session)
        try session.tell(answer, of: document.name, change)
    }
}

extension ChangeOptions {
    /// Throws for `--dry-run`, which the command does not support.
    func checkIsReal(_ what: String) throws(Trouble) {
        if dryRun { throw Trouble(.usage, "\(what) does not support --dry-run.") }
    }

    /// Throws for `--if-match`, which the command does not support.
    func checkHasNoRevision(_ command: String) throws(Trouble) {
        guard ifMatch != nil else { return }
        throw Trouble(.usage, "\(command) does not support --if-match.")
    }
}
