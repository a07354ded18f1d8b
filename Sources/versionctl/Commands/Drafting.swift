import ArgumentParser
import HTTPCalling
import JSONTree

/// `draft`.
struct Draft: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit a draft of a document, and merge it in full or in part.",
        discussion: """
            A draft is a copy that can be merged into its document. Example: versionctl draft \
            start menu; versionctl set menu~ada /price 7; versionctl draft diff menu~ada; \
            versionctl draft merge menu~ada --end
            """,
        subcommands: [
            DraftStart.self, DraftList.self, DraftStatus.self, DraftDiff.self, DraftUpdate.self,
            DraftMerge.self, DraftMergeAll.self, DraftDrop.self,
        ])
}

/// The policy for conflicts of a draft and its origin.
enum DraftSide: String, ExpressibleByArgument, CaseIterable {
    case reject, draft, origin
}

struct DraftStart: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Create a draft of a document.",
        discussion: "Example: versionctl draft start menu")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The name of the draft; by default DOCUMENT~ACTOR.") var name: String?

    func run(_ session: Session) throws {
        try change.checkHasNoRevision(Self._commandName)
        let name = try self.name ?? "\(document.name)~\(session.me())"
        let answer = try session.found(
            document.name,
            try session.made(
                name, hint: "versionctl draft status \(name)",
                try session.change(
                    "PUT", "/v1/documents/\(name.escaped)",
                    change.query + [("copyOf", document.name)], fields: [("If-None-Match", "*")])))
        try session.tell(answer, of: name, change, "a draft of \(document.name)")
    }
}

struct DraftList: DocumentCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the drafts of a document.",
        discussion: "Example: versionctl draft list menu")

    @OptionGroup var common: CommonOptions
    @Argument(help: "The document.") var document: DocumentAddress

    func run(_ session: Session) throws {
        var rows: [[String]] = []
        try session.pages(document.path + "/drafts", [], "drafts", size: 100) { draft in
            if common.json { return session.screen.line(draft.text) }
            rows.append([
                draft["document"]?.string?.visible ?? "", "ahead \(draft["ahead"].edits)",
                "behind \(draft["behind"].edits)",
                "\(draft["conflicts"]?.count ?? 0) conflicts",
            ])
        }
        Table.lines(rows).forEach { session.screen.line($0) }
    }
}

struct DraftStatus: DocumentCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Compare a draft with its origin.",
        discussion: "Example: versionctl draft status menu~ada")

    @OptionGroup var common: CommonOptions
    @Argument(help: .init("The draft.", valueName: "draft")) var document: DocumentAddress

    func run(_ session: Session) throws {
        let found = try session.json(of: document, "/origin")
        if common.json { return session.screen.line(found.text) }
        let origin =
            found["origin"]?["document"]?.string ?? found["origin"]?.string ?? "?"
        let conflicts = found["conflicts"]?.elements ?? []
        session.screen.line(
            "\(document.name.visible): a draft of \(origin.visible), "
                + "ahead \(found["ahead"].edits), behind \(found["behind"].edits), "
                + "\(conflicts.count) conflicts")
        for conflict in conflicts {
            session.screen.line("! \((conflict["path"]?.string ?? conflict.text).visible)")
        }
    }
}

struct DraftDiff: DocumentCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show the changes of a draft.",
        discussion: "Example: versionctl draft diff menu~ada")

    @OptionGroup var common: CommonOptions
    @Argument(help: .init("The draft.", valueName: "draft")) var document: DocumentAddress

    func run(_ session: Session) throws {
        let found = try session.json(of: document, "/diff", [("from", "origin"), ("to", "head")])
        if common.json { return session.screen.line(found.text) }
        let base = try session.json(document.path, [("at", "origin")])
        session.screen.page(
            ChangeLines(session.screen).lines(found["patch"] ?? .null, on: base))
    }
}

struct DraftUpdate: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Apply the new changes of the origin to the draft.",
        discussion: "Example: versionctl draft update menu~ada --conflict origin")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: .init("The draft.", valueName: "draft")) var document: DocumentAddress
    @Option(help: "The policy for conflicts: reject, draft or origin.") var conflict: DraftSide?

    func run(_ session: Session) throws {
        let query = given(("conflict", conflict?.rawValue))
        let answer = try send("POST", "/update", query, by: session)
        try session.tellChange(
            answer, of: document, change, "updated, revision \(answer["revision"]?.text ?? "?")")
    }
}

struct DraftMerge: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Merge a draft into its origin, in full or in part.",
        discussion: "Example: versionctl draft merge menu~ada /price --end")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: .init("The draft.", valueName: "draft")) var document: DocumentAddress
    @Argument(help: "The places to merge; by default all.") var paths: [String] = []
    @Option(help: "The policy for conflicts: reject, draft or origin.") var conflict: DraftSide?
    @Flag(help: "Delete the draft after the merge.") var end = false

    func run(_ session: Session) throws {
        let members = given(("paths", try places(paths)), ("end", end ? JSON(true) : JSON?.none))
        let query = given(("conflict", conflict?.rawValue))
        let answer = try send(
            "POST", "/merge", query, body: JSON(members: members), by: session)
        let did = "merged, revision \(answer["revision"]?.text ?? "?")"
        try session.tell(answer, of: document.name, change, did)
    }
}

struct DraftMergeAll: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge-all",
        abstract: "Merge all drafts of a prefix into their origins as one step.",
        discussion: "Example: versionctl draft merge-all spring~/ --end")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The prefix of the names of the drafts.") var prefix: String
    @Option(help: "The policy for conflicts: reject, draft or origin.") var conflict: DraftSide?
    @Flag(help: "Delete the drafts after the merge.") var end = false

    func run(_ session: Session) throws {
        try change.checkHasNoRevision(Self._commandName)
        let members = given(("prefix", JSON(prefix)), ("end", end ? JSON(true) : JSON?.none))
        let answer = try session.change(
            "POST", "/v1/merge", change.query + given(("conflict", conflict?.rawValue)),
            body: JSON(members: members).serialized())
        session.tell(transaction: answer, change)
        for draft in answer["unchanged"]?.elements ?? [] where !common.json {
            session.screen.tell("  \(draft.string ?? "?"): nothing to merge")
        }
    }
}

struct DraftDrop: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Delete a draft; undelete restores it.",
        discussion: "Example: versionctl draft drop menu~ada")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: .init("The draft.", valueName: "draft")) var document: DocumentAddress

    func run(_ session: Session) throws {
        // No document is deleted for a draft.
        let origin = try session.json(of: document, "/origin", [("brief", "")])
        let answer = try change.dryRun ? origin : send("DELETE", by: session)
        try session.tell(answer, of: document.name, change, "deleted")
    }
}

extension JSON? {
    /// How many edits are on a side.
    fileprivate var edits: String { self?["edits"]?.text ?? "0" }
}
