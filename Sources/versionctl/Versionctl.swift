import ArgumentParser
import Glibc

/// The command line of versiond.
@main
struct Versionctl: ParsableCommand {
    /// The version of the daemon of the same build.
    static let version = "0.4.0"

    static let configuration = CommandConfiguration(
        commandName: "versionctl",
        abstract: "Read, edit, undo and watch documents of versiond.",
        discussion: """
            DOCUMENT@STATE names a state of a document: menu@7, menu@version:12, menu@tag:lunch, \
            menu@1h, menu@2026-11-23. A place is a JSON Pointer: /items/0/name. Examples:

              versionctl put menu menu.json
              versionctl set menu /price 6.50 -m 'new year'
              versionctl log menu --graph
              versionctl undo menu

            Exit status: 0 success, 1 nothing to do, 2 conflict, 3 permission denied, 4 not found, \
            64 usage, 65 invalid input, 69 no daemon, 74 system error, 75 retry later, 76 outcome \
            unknown.
            """,
        version: version,
        subcommands: [],
        groupedSubcommands: [
            CommandGroup(
                name: "Read",
                subcommands: [
                    List.self, Get.self, Log.self, Show.self, Difference.self, Blame.self,
                    StatusCommand.self, Watch.self, Runs.self,
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
                    RestorePoint.self,
                ]),
            CommandGroup(
                name: "The daemon", subcommands: [WhoAmI.self, ContextCommand.self, API.self]),
            CommandGroup(name: "For programs", subcommands: [MCP.self, Relay.self]),
        ])

    static func main() {
        // A closed pipe ends the command without an error.
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
