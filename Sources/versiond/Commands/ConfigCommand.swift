import ArgumentParser
import FoundationEssentials
import JSONTree

/// `versiond config`: what the settings are, without starting anything.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check or print the settings without a start of the daemon.",
        subcommands: [CheckConfig.self, ShowConfig.self])
}

/// `versiond config check`: whether a daemon would start with them.
struct CheckConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the settings. Exit status 78: they are invalid.",
        discussion: "Accepts the options of `serve`, and reads the environment and the file.")

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let settings = try Settings.load(options)
        if !settings.tokens.isEmpty {
            _ = try Daemon.accessList(try TokenFile(settings.tokens))
        }
        _ = try RulesFile.rules(settings.rules)
        for file in [settings.tlsCertificate, settings.tlsKey] where !file.isEmpty {
            guard FileManager.default.isReadableFile(atPath: file) else {
                throw CannotRun.configuration("cannot read \(file)")
            }
        }
        try CheckConfig.checkParent(of: settings.socket, "the socket")
        if settings.journal.isEmpty {
            try CheckConfig.checkDirectory(settings.directory)
        } else {
            try Storage.check(settings.journal)
        }
        print("the settings are valid")
    }

    /// A file can be made only in a directory that is there.
    private static func checkParent(of path: String, _ what: String) throws {
        if path.isEmpty { return }
        let parent = URL(filePath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: parent) else {
            throw CannotRun.configuration("cannot create \(what) \(path) in \(parent)")
        }
    }

    /// It is there and can be written, or it can be made in what is there.
    private static func checkDirectory(_ path: String) throws {
        let files = FileManager.default
        var url = URL(filePath: path).standardizedFileURL
        while !files.fileExists(atPath: url.path), url.path != "/" {
            url = url.deletingLastPathComponent()
        }
        // Names under /proc are there and cannot be made.
        guard files.isWritableFile(atPath: url.path), !url.path.hasPrefix("/proc") else {
            throw CannotRun.configuration("cannot create or write directory \(path)")
        }
    }
}

/// `versiond config show`: each setting, and where it comes from.
struct ShowConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print each setting with its value and its source.")

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let sources = try SettingSources(options)
        let settings = try Settings(sources)
        let values = Mirror(reflecting: settings).children
        for key in Setting.all.keys.sorted() {
            let value = values.first { $0.label == key }.map { ShowConfig.text($0.value) } ?? ""
            let shown = key == "journal" ? Storage.withoutPassword(value) : value
            print("\(key)\t\(shown)\t\(sources.origin(of: key))")
        }
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let texts as any Collection<String>: texts.sorted().joined(separator: ",")
        case let number as Int?: number.map { "\($0)" } ?? "no limit"
        case let mode as UInt32: String(mode, radix: 8)
        default: "\(value)"
        }
    }
}
