import JSONTree

/// The addresses of daemons that `versionctl context` stores by name.
struct Contexts {
    struct Context: Equatable {
        var server: String
        var tokenFile: String?
        var actor: String?
    }

    var current: String?
    var all: [(name: String, context: Context)] = []

    static var path: String { Files.configuration + "/config.json" }

    /// The stored contexts; none if the file does not exist.
    static func read() throws(Trouble) -> Contexts {
        guard let bytes = try? Files.read(path) else { return Contexts() }
        guard let json = try? JSON(reading: bytes) else {
            throw Trouble(
                .badInput, "\(path) is not valid JSON.", hint: "Correct or remove the file.")
        }
        var contexts = Contexts(current: json["current"]?.string)
        for (name, value) in json["contexts"]?.members ?? [] {
            guard let server = value["server"]?.string else { continue }
            contexts.all.append(
                (
                    name,
                    Context(
                        server: server, tokenFile: value["tokenFile"]?.string,
                        actor: value["as"]?.string)
                ))
        }
        return contexts
    }

    /// The one that is used.
    var inUse: Context? { current.flatMap { self[$0] } }

    subscript(name: String) -> Context? {
        get { all.first { $0.name == name }?.context }
        set {
            all.removeAll { $0.name == name }
            if let newValue { all.append((name, newValue)) }
        }
    }

    func write() throws(Trouble) {
        let contexts = all.map { name, context in
            let members = given(
                ("server", context.server), ("tokenFile", context.tokenFile), ("as", context.actor))
            return (name, JSON(members: members.map { ($0, JSON($1)) }))
        }
        let json: JSON = [
            "current": current.map { JSON($0) } ?? .null, "contexts": JSON(members: contexts),
        ]
        Files.makeDirectory(Files.configuration)
        try Files.write(json.prettyPrinted() + [0x0a], to: Contexts.path)
    }
}
