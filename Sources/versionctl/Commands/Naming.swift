import ArgumentParser
import JSONTree

/// `tag`.
struct Tag: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "List tags, set one, or remove one.",
        discussion: "Examples: versionctl tag menu, versionctl tag menu lunch, versionctl tag menu "
            + "lunch version:4, versionctl tag menu lunch -d")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The name.") var name: String?
    @Argument(help: "What it names; without it what the document is now.") var state: State?
    @Flag(name: .short, help: "Remove it.") var delete = false

    func run(_ session: Session) throws {
        guard let name else { return try list(session) }
        try change.checkIsReal("a tag")
        let path = "/tags/" + escaped(name)
        let body = JSON(members: given(("at", state.map { JSON($0.text) })))
        let answer =
            try delete
            ? send("DELETE", path, by: session) : send("PUT", path, body: body, by: session)
        let version = answer["change"]?["version"]?.text ?? answer["version"]?.text ?? "?"
        try session.tell(
            answer, of: document.name, change,
            delete ? "\(name) is removed" : "\(name) is version \(version)")
    }

    private func list(_ session: Session) throws {
        try session.table(of: document, "tags") { tag in
            [
                tag["isCurrent"]?.bool == true ? "@" : " ", tag["version"]?.text ?? "",
                tag["tag"]?.string?.visible ?? "",
            ]
        }
    }
}

/// `snapshot`.
struct Snapshot: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "List snapshots, make one, put one back, or remove one.",
        discussion: "Examples: versionctl snapshot menu before-easter, versionctl snapshot menu "
            + "prices /price, versionctl snapshot menu before-easter --restore")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The name.") var key: String?
    @Argument(help: "The places that it holds; none means all.") var paths: [String] = []
    @Flag(name: .short, help: "Remove it.") var delete = false
    @Flag(help: "Put back what it holds.") var restore = false

    func run(_ session: Session) throws {
        guard let key else { return try list(session) }
        if !restore { try change.checkIsReal("a snapshot") }
        let path = "/snapshots/" + escaped(key)
        let body = JSON(members: given(("paths", try places(paths))))
        if restore {
            let answer = try send("POST", path + "/restore", by: session)
            return try session.tellChange(answer, of: document, change, "\(key) is put back")
        }
        let answer =
            try delete
            ? send("DELETE", path, by: session) : send("PUT", path, body: body, by: session)
        try session.tell(
            answer, of: document.name, change, delete ? "\(key) is removed" : "\(key) is kept")
    }

    private func list(_ session: Session) throws {
        try session.table(of: document, "snapshots") {
            [$0["snapshot"]?.string?.visible ?? "", Times.short($0["time"]?.string ?? "")]
        }
    }
}

/// `scope`.
struct Scope: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a scope, close it, or take back what was done in it.",
        discussion: "What is done in a scope is one version once it is closed. Example: versionctl "
            + "scope push menu --ttl 1h --policy discard")

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case push, pop, discard
    }

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "push, pop or discard.") var action: Action
    @Argument(help: "The document.") var document: DocumentAddress
    @Option(help: "When it closes by itself.") var ttl: String?
    @Option(help: "How it closes by itself: pop or discard.") var policy: String?
    @Flag(help: "Also if it is another's.") var force = false

    func run(_ session: Session) throws {
        try change.checkIsReal("a scope")
        let members = given(
            ("ttl", ttl.map { JSON($0) }), ("policy", policy.map { JSON($0) }),
            ("force", force ? JSON(true) : JSON?.none))
        let answer = try send(
            "POST", "/scopes/" + action.rawValue, body: JSON(members: members), by: session)
        try session.tell(
            answer, of: document.name, change, "scope level \(answer["scopeLevel"]?.text ?? "?")")
    }
}
