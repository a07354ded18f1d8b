import ArgumentParser

/// The daemon and its operator's tools.
@main
struct Versiond: AsyncParsableCommand {
    static let version = "0.4.0"
    /// With the commit, where it is known: for people.
    static var fullVersion: String {
        Commit.text.isEmpty ? version : "\(version) (\(Commit.text))"
    }

    static let configuration = CommandConfiguration(
        commandName: "versiond",
        abstract: "A durable, shared undo history for any JSON document, over HTTP.",
        version: fullVersion,
        subcommands: [
            Serve.self, Check.self, Backup.self, Restore.self, Export.self, Import.self, Pack.self,
            Purge.self, Dump.self, Usage.self, SchemaCommand.self, ConfigCommand.self,
            TokenCommand.self, Health.self, Bench.self,
        ],
        defaultSubcommand: Serve.self)
}
