import ArgumentParser

/// The options of all commands: the daemon, the actor and the output.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help:
            "The address of the daemon: http://host:8080 or unix:/run/versiond.sock (VERSIOND_URL)."
    )
    var server: String?

    @Option(help: "The file with the token (or the token in VERSIOND_TOKEN).")
    var tokenFile: String?

    @Option(name: .customLong("as"), help: "The actor (VERSIOND_ACTOR; without a token USER).")
    var actor: String?

    @Option(help: "The requester, who asked the actor for the changes (VERSIOND_PROMPT_BY).")
    var promptBy: String?

    @Flag(help: "Print the JSON of the daemon; for lists one object per line.")
    var json = false

    @Option(help: "When to use colors.")
    var color: When = .auto

    @Flag(name: .shortAndLong, help: "Suppress messages about changes.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each request as a curl command.")
    var verbose = false

    enum When: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }
}

/// The options of commands that change a document.
struct ChangeOptions: ParsableArguments {
    @Option(name: [.customShort("m"), .long], help: "The label of the change, shown in the log.")
    var label: String?

    @Flag(help: "Show the result without a change.")
    var dryRun = false

    @Option(help: "Fail unless this is the newest revision.")
    var ifMatch: Int?

    /// The query and the fields of a request.
    var query: [(String, String)] {
        given(("label", label ?? variable("VERSIOND_LABEL")), ("dryRun", dryRun ? "true" : nil))
    }

    var fields: [(name: String, value: String)] {
        ifMatch.map { [("If-Match", "\"\($0)\"")] } ?? []
    }
}
