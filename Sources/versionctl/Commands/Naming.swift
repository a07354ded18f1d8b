import ArgumentParser
import JSONTree

/// `tag`.
struct Tag: AboutDocument {
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

    func run() throws {
        let session = try Session(common)
        guard let name else { return try list(session) }
        try change.checkIsReal("a tag")
        let body = state.map { JSON(members: [("at", JSON($0.text))]).serialized() }
        let answer = try session.found(document.name) { () throws(Trouble) in
            try session.change(
                delete ? "DELETE" : "PUT", document.path + "/tags/" + escaped(name), change.query,
                body: delete ? nil : body ?? Array("{}".utf8), fields: change.fields)
        }
        let version = answer["change"]?["version"]?.text ?? answer["version"]?.text ?? "?"
        try session.tell(
            answer, of: document.name, change,
            delete ? "\(name) is removed" : "\(name) is version \(version)")
    }

    private func list(_ session: Session) throws {
        let found = try session.found(document.name) { () throws(Trouble) in
            try session.json(document.path + "/tags")
        }
        let tags = found["tags"]?.elements ?? []
        if common.json { return tags.forEach { session.screen.line($0.text) } }
        let rows = tags.map { tag in
            [
                tag["isCurrent"]?.bool == true ? "@" : " ", tag["version"]?.text ?? "",
                tag["tag"]?.string?.visible ?? "",
            ]
        }
        Table.lines(rows).forEach { session.screen.line($0) }
    }
}

/// `snapshot`.
struct Snapshot: AboutDocument {
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

    func run() throws {
        let session = try Session(common)
        guard let key else { return try list(session) }
        if !restore { try change.checkIsReal("a snapshot") }
        let path = document.path + "/snapshots/" + escaped(key)
        let places = try paths.map { JSON(try place($0)) }
        let body =
            places.isEmpty ? JSON(members: []) : JSON(members: [("paths", JSON(elements: places))])
        let answer = try session.found(document.name) { () throws(Trouble) in
            try restore
                ? session.change("POST", path + "/restore", change.query, fields: change.fields)
                : session.change(
                    delete ? "DELETE" : "PUT", path, change.query,
                    body: delete ? nil : body.serialized(), fields: change.fields)
        }
        if restore {
            return try session.tellChange(answer, of: document, change, "\(key) is put back")
        }
        try session.tell(
            answer, of: document.name, change, delete ? "\(key) is removed" : "\(key) is kept")
    }

    private func list(_ session: Session) throws {
        let found = try session.found(document.name) { () throws(Trouble) in
            try session.json(document.path + "/snapshots")
        }
        let snapshots = found["snapshots"]?.elements ?? []
        if common.json { return snapshots.forEach { session.screen.line($0.text) } }
        let rows = snapshots.map {
            [$0["snapshot"]?.string?.visible ?? "", Times.short($0["time"]?.string ?? "")]
        }
        Table.lines(rows).forEach { session.screen.line($0) }
    }
}

/// `scope`.
struct Scope: AboutDocument {
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

    func run() throws {
        let session = try Session(common)
        try change.checkIsReal("a scope")
        var members: [(String, JSON)] = []
        if let ttl { members.append(("ttl", JSON(ttl))) }
        if let policy { members.append(("policy", JSON(policy))) }
        if force { members.append(("force", true)) }
        let body = JSON(members: members)
        let answer = try session.found(document.name) { () throws(Trouble) in
            try session.change(
                "POST", document.path + "/scopes/" + action.rawValue, change.query,
                body: body.serialized(), fields: change.fields)
        }
        try session.tell(
            answer, of: document.name, change, "scope level \(answer["scopeLevel"]?.text ?? "?")")
    }
}
