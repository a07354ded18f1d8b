import ArgumentParser
import HTTPCalling
import JSONTree

/// `restore`.
struct Restore: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restore another state of a document, or of all documents with a prefix.",
        discussion: """
            With --to, all documents are restored as one transaction; those created since stay. \
            Examples: versionctl restore menu 1h /price /dish, versionctl restore --to \
            restore-point:before-prices, versionctl restore --to 1h --prefix menus/
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress?
    @Argument(help: "The state to restore.") var state: State?
    @Argument(help: "The places to restore; by default all.") var paths: [String] = []
    @Option(help: "Restore all documents: to this time, restore-point:NAME or cursor:N.")
    var to: State?
    @Option(help: "With --to, only documents with this prefix; by default the restore point's.")
    var prefix: String?
    @Flag(help: "With --to, also delete documents that were created since.")
    var deleteCreated = false
    @Flag(help: "With --to, also restore documents that were deleted since.")
    var undeleteDeleted = false

    var documents: [DocumentAddress] { document.map { [$0] } ?? [] }

    func run(_ session: Session) throws {
        if let to {
            guard document == nil else {
                throw Trouble(
                    .usage, "--to restores several documents, and names none.",
                    hint: "For one document: versionctl restore menu \(to.text)")
            }
            return try restoreAll(to, session)
        }
        guard let document, let state else {
            throw Trouble(
                .usage, "A document and a state are missing, or --to.",
                hint: "versionctl restore menu 1h, versionctl restore --to 1h --prefix menus/")
        }
        let members = given(("from", JSON(state.text)), ("paths", try places(paths)))
        let answer = try session.found(
            document.name,
            try session.change(
                "POST", document.path + "/restore", change.query,
                body: JSON(members: members).serialized(), fields: change.fields))
        try session.tellChange(answer, of: document, change, Session.place(of: answer))
    }

    private func restoreAll(_ state: State, _ session: Session) throws(Trouble) {
        try change.checkHasNoRevision("restore --to")
        let members = given(
            ("to", state.text), ("prefix", prefix), ("made", deleteCreated ? "delete" : nil),
            ("deleted", undeleteDeleted ? "undelete" : nil))
        let answer = try session.change(
            "POST", "/v1/restore", change.query,
            body: JSON(members: members.map { ($0, JSON($1)) }).serialized())
        session.tell(transaction: answer, change)
        if common.json { return }
        for (member, what) in Restore.notes {
            for name in answer[member]?.elements ?? [] {
                session.screen.tell("  \(name.string ?? "?"): \(what)")
            }
        }
    }

    private static let notes = [
        ("madeSince", "created since"), ("deletedSince", "deleted since"),
        ("purgedSince", "erased since, cannot be restored"),
    ]
}

/// `restore-point`.
struct RestorePoint: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-point",
        abstract: "List, set, move or delete restore points.",
        discussion: """
            A restore point is a name for one position in the history of all documents; see \
            restore --to. Examples: versionctl restore-point, versionctl restore-point \
            before-prices --prefix menus/, versionctl restore-point before-prices -d
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The name. If it exists, the restore point is moved.") var name: String?
    @Option(help: "The documents that a restore is about; in a list, the prefix of the names.")
    var prefix: String?
    @Option(help: "An earlier position: cursor:N or restore-point:NAME.") var at: State?
    @Option(help: "The time after which it is forgotten.") var ttl: String?
    @Flag(name: .short, help: "Delete it.") var delete = false

    func run(_ session: Session) throws {
        guard let name else { return try list(session) }
        try change.checkIsReal("a restore point")
        try change.checkHasNoRevision("restore-point")
        let path = "/v1/restore-points/" + name.escaped
        if delete {
            _ = try session.change("DELETE", path, change.query)
            return session.screen.tell("\(name) is deleted")
        }
        let members = given(("prefix", prefix), ("at", at?.text)).map { ($0, JSON($1)) }
        let answer = try session.change(
            "PUT", path, change.query + given(("ttl", ttl)),
            body: JSON(members: members).serialized())
        if common.json { return session.screen.line(answer.text) }
        session.screen.tell("\(name) is at \(RestorePoint.position(answer))")
    }

    private func list(_ session: Session) throws(Trouble) {
        guard !delete else { throw Trouble(.usage, "The name is missing.") }
        var rows: [[String]] = []
        try session.pages("/v1/restore-points", given(("prefix", prefix)), "restorePoints") {
            found throws(Trouble) in
            if common.json { return session.screen.line(found.text) }
            rows.append([
                found["restorePoint"]?.string?.visible ?? "?", RestorePoint.position(found),
                Times.short(found["time"]?.string ?? ""), found["actor"]?.string?.visible ?? "",
                found["prefix"]?.string?.visible ?? "", found["label"]?.string?.visible ?? "",
            ])
        }
        session.screen.page(Table.lines(rows))
    }

    private static func position(_ point: JSON) -> String {
        "cursor:\(point["cursor"]?.text ?? "?")"
    }
}
