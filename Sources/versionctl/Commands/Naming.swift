import ArgumentParser
import HTTPCalling
import JSONTree

/// `tag`.
struct Tag: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "List, set or remove tags.",
        discussion: "Examples: versionctl tag menu, versionctl tag menu lunch, versionctl tag menu "
            + "lunch version:4, versionctl tag menu lunch -d")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The name.") var name: String?
    @Argument(help: "The state; by default the newest.") var state: State?
    @Flag(name: .short, help: "Remove it.") var delete = false

    func run(_ session: Session) throws {
        guard let name else { return try list(session) }
        try change.checkIsReal("a tag")
        let path = "/tags/" + name.escaped
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
        abstract: "List, create, restore or remove snapshots.",
        discussion: "Examples: versionctl snapshot menu before-easter, versionctl snapshot menu "
            + "prices /price, versionctl snapshot menu before-easter --restore")

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The name.") var key: String?
    @Argument(help: "The places to include; by default all.") var paths: [String] = []
    @Flag(name: .short, help: "Remove it.") var delete = false
    @Flag(help: "Restore the snapshot.") var restore = false

    func run(_ session: Session) throws {
        guard let key else { return try list(session) }
        if !restore { try change.checkIsReal("a snapshot") }
        let path = "/snapshots/" + key.escaped
        let body = JSON(members: given(("paths", try places(paths))))
        if restore {
            let answer = try send("POST", path + "/restore", by: session)
            return try session.tellChange(answer, of: document, change, "\(key) is restored")
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
        abstract: "Open, close or discard a scope.",
        discussion: "A closed scope is one version. Example: versionctl "
            + "scope push menu --ttl 1h --policy discard")

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case push, pop, discard
    }

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "push, pop or discard.") var action: Action
    @Argument(help: "The document.") var document: DocumentAddress
    @Option(help: "The time after which an idle scope is closed.") var ttl: String?
    @Option(help: "The action when the ttl ends: pop or discard.") var policy: String?
    @Flag(help: "Also close the scope of another actor.") var force = false

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
