import ArgumentParser

/// The daemon and its operator's tools.
@main
struct Versiond: AsyncParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "versiond",
        abstract: "A durable, shared undo history for any JSON document, over HTTP.",
        version: version,
        subcommands: [
            Serve.self, Check.self, Backup.self, Restore.self, Export.self, Import.self, Pack.self,
            Purge.self, Dump.self, Usage.self, SchemaCommand.self, ConfigCommand.self,
            TokenCommand.self, Health.self, Bench.self,
        ],
        defaultSubcommand: Serve.self)
}
