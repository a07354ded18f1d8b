import ArgumentParser
import Glibc

/// The command line of versiond.
@main
struct Versionctl: ParsableCommand {
    /// That of the daemon that it was made with.
    static let version = "0.4.0"

    static let configuration = CommandConfiguration(
        commandName: "versionctl",
        abstract: "Read, edit, undo and watch documents of versiond.",
        discussion: """
            A document may have a state behind an @: menu@7, menu@version:12, menu@tag:lunch, \
            menu@1h, menu@2026-11-23. A place is a JSON Pointer: /items/0/name. Examples:

              versionctl put menu menu.json
              versionctl set menu /price 6.50 -m 'new year'
              versionctl log menu --graph
              versionctl undo menu

            Exit status: 0 done, 1 nothing to do, 2 conflict, 3 not allowed, 4 not there, 64 \
            usage, 65 bad input, 69 nobody listens, 75 try again later, 76 nobody knows whether \
            it was done.
            """,
        version: version,
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Read",
                subcommands: [
                    List.self, Get.self, Log.self, Show.self, Difference.self, Blame.self,
                    StatusCommand.self, Watch.self,
                ]),
            CommandGroup(
                name: "Change",
                subcommands: [
                    Put.self, SetValue.self, Unset.self, Patch.self, Edit.self, Undo.self,
                    Redo.self, GoTo.self, Restore.self, Run.self,
                ]),
            CommandGroup(
                name: "Name and keep",
                subcommands: [
                    Tag.self, Snapshot.self, Scope.self, Copy.self, Rename.self, Remove.self,
                    Undelete.self, SettingsCommand.self, Draft.self, Transaction.self,
                ]),
            CommandGroup(
                name: "The daemon", subcommands: [WhoAmI.self, ContextCommand.self, API.self]),
            CommandGroup(name: "For programs", subcommands: [MCP.self, Relay.self]),
        ])

    static func main() {
        // Whoever reads no further is no error.
        signal(SIGPIPE, SIG_DFL)
        SignalRelay.unblock()
        do {
            var command = try parseAsRoot(try Arguments.given())
            try command.run()
        } catch let trouble as Trouble {
            Screen.note("error: \(trouble)")
            Glibc.exit(trouble.status.rawValue)
        } catch {
            exit(withError: error)
        }
    }
}
