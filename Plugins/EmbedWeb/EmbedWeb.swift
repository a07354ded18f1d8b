import Foundation
import PackagePlugin

/// Makes Swift of the files that browsers get, whenever one of them has changed.
@main struct EmbedWeb: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let pages = target.sourceFiles.filter { $0.type != .source }.map(\.url)
        // The package for JavaScript: what it is made of is served as one file.
        let client = context.package.directoryURL.appending(path: "Clients/javascript/src")
        let modules = try FileManager.default.contentsOfDirectory(
            at: client, includingPropertiesForKeys: nil)
        let output = context.pluginWorkDirectoryURL.appending(path: "WebFile+All.swift")
        return [
            .buildCommand(
                displayName: "Embedding what browsers get",
                executable: try context.tool(named: "web-embed").url,
                arguments: [target.directoryURL.path(), client.path(), output.path()],
                inputFiles: pages + modules, outputFiles: [output])
        ]
    }
}
