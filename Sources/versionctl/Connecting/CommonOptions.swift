import ArgumentParser

/// What all commands have: which daemon, as whom, and how it is shown.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The daemon: http://host:8080 or unix:/run/versiond.sock (or VERSIOND_URL).")
    var server: String?

    @Option(help: "A file with a token (or VERSIOND_TOKEN, the token itself).")
    var tokenFile: String?

    @Option(name: .customLong("as"), help: "Who you are (or VERSIOND_ACTOR; without a token USER).")
    var actor: String?

    @Flag(help: "Print the daemon's JSON; of lists one object a line.")
    var json = false

    @Option(help: "Whether there are colors.")
    var color: When = .auto

    @Flag(name: .shortAndLong, help: "Say nothing of what was done.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each request as a line for curl.")
    var verbose = false

    enum When: String, ExpressibleByArgument, CaseIterable {
        case auto, always, never
    }
}

/// What commands have that change something.
struct ChangeOptions: ParsableArguments {
    @Option(name: [.customShort("m"), .long], help: "Why: a few words, shown in the log.")
    var label: String?

    @Flag(help: "Say what would happen, and change nothing.")
    var dryRun = false

    @Option(help: "Only if this is still the newest revision.")
    var ifMatch: Int?

    /// The query and the fields of a request.
    var query: [(String, String)] {
        given(("label", label ?? variable("VERSIOND_LABEL")), ("dryRun", dryRun ? "true" : nil))
    }

    var fields: [(name: String, value: String)] {
        ifMatch.map { [("If-Match", "\"\($0)\"")] } ?? []
    }
}
