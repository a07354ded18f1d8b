import Foundation
import PackagePlugin

/// Makes `Commit.text` of the environment's VERSIOND_COMMIT, which `Scripts/release` sets: so builds
/// for work are not made anew with each commit.
@main struct EmbedCommit: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let given = ProcessInfo.processInfo.environment["VERSIOND_COMMIT"] ?? ""
        let commit = given.filter { $0.isLetter || $0.isNumber || $0 == "-" }
        let output = context.pluginWorkDirectoryURL.appending(path: "Commit.swift")
        return [
            .buildCommand(
                displayName: "Embedding the commit", executable: URL(filePath: "/bin/sh"),
                arguments: [
                    "-c",
                    """
                    printf '/// The commit that this was built from; empty if that is not known.\\n\
                    enum Commit { static let text = "%s" }\\n' "$1" > "$2"
                    """, "sh", commit, output.path(),
                ],
                inputFiles: [], outputFiles: [output])
        ]
    }
}
