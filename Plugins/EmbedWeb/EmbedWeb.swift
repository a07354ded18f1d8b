import PackagePlugin

/// Makes Swift of the files that browsers get, whenever one of them has changed.
@main struct EmbedWeb: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? SourceModuleTarget else { return [] }
        let files = target.sourceFiles.filter { $0.type != .source }.map(\.url)
        let output = context.pluginWorkDirectoryURL.appending(path: "WebFile+All.swift")
        return [
            .buildCommand(
                displayName: "Embedding what browsers get",
                executable: try context.tool(named: "web-embed").url,
                arguments: [target.directoryURL.path(), output.path()],
                inputFiles: files, outputFiles: [output])
        ]
    }
}
