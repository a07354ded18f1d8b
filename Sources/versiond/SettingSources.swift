import Foundation
import JSONTree

/// What was said about the settings: by options, which win over the environment, which wins over
/// the file. Whatever is not understood there is an error, not a setting that is ignored.
struct SettingSources {
    private struct Source {
        let name: String
        /// As texts, by the keys of the settings.
        let values: [String: String]
    }

    /// The strongest first.
    private let sources: [Source]

    init(_ options: ServeOptions) throws {
        var sources = [
            Source(name: "option", values: SettingSources.values(of: options)),
            Source(name: "environment", values: try SettingSources.environmentValues()),
        ]
        if let path = options.config {
            sources.append(Source(name: path, values: try SettingSources.values(inFile: path)))
        }
        self.sources = sources
    }

    func text(_ key: String) -> String? {
        sources.lazy.compactMap { $0.values[key] }.first
    }

    func number(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

    func flag(_ key: String) -> Bool? { text(key).map { $0 == "true" } }

    /// Where a setting comes from, in a word.
    func origin(of key: String) -> String {
        sources.first { $0.values[key] != nil }?.name ?? "default"
    }

    // MARK: Options

    private static func values(of options: ServeOptions) -> [String: String] {
        var values: [String: String] = [:]
        values["host"] = options.host
        values["port"] = options.port.map { "\($0)" }
        values["directory"] = options.directory
        values["journal"] = options.journal
        values["loops"] = options.loops.map { "\($0)" }
        values["tokens"] = options.tokens
        values["socket"] = options.socket
        values["openAccess"] = options.openAccess ? "true" : nil
        values["logFormat"] = options.logFormat
        values["logLevel"] = options.logLevel
        return values
    }

    // MARK: The environment

    private static func environmentValues() throws -> [String: String] {
        var values: [String: String] = [:]
        for (name, value) in ProcessInfo.processInfo.environment where name.hasPrefix("VERSIOND_") {
            if isServiceLink(name, value) { continue }
            let words = name.dropFirst(9).lowercased().split(separator: "_")
            let key = words.enumerated().map { $0 == 0 ? String($1) : $1.capitalized }.joined()
            guard Settings.keys.contains(key) else {
                throw CannotRun.configuration("\(name) means nothing")
            }
            try check(value, of: key, as: name)
            values[key] = value
        }
        return values
    }

    private static func check(_ value: String, of key: String, as name: String) throws {
        if Settings.texts.contains(key) { return }
        if Settings.flags.contains(key) {
            guard ["true", "false"].contains(value) else {
                throw CannotRun.configuration("\(name) must be true or false")
            }
        } else if Int(value) == nil {
            throw CannotRun.configuration("\(name) must be a number")
        }
    }

    /// Kubernetes puts the addresses of services that are named like us into such variables,
    /// unasked.
    private static func isServiceLink(_ name: String, _ value: String) -> Bool {
        name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT")
            || name.contains(/_PORT_[0-9]+_(TCP|UDP|SCTP)/)
            || (name.hasSuffix("_PORT") && value.contains("://"))
    }

    // MARK: The file

    /// Names in the file must be known; those that begin with `//` are comments.
    private static func values(inFile path: String) throws -> [String: String] {
        guard let text = try? Data(contentsOf: URL(filePath: path)) else {
            throw CannotRun.configuration("\(path) cannot be read")
        }
        guard let members = try? JSON(parsing: Array(text)).members else {
            throw CannotRun.configuration("\(path) must hold one JSON object")
        }
        let unknown = members.map(\.name).sorted().filter {
            !Settings.keys.contains($0) && !$0.hasPrefix("//")
        }
        guard unknown.isEmpty else {
            throw CannotRun.configuration(
                "\(path) has unknown settings: \(unknown.joined(separator: ", "))")
        }
        var values: [String: String] = [:]
        for (name, value) in members where !name.hasPrefix("//") {
            values[name] = try SettingSources.text(of: value, name, path)
        }
        return values
    }

    private static func text(of value: JSON, _ name: String, _ path: String) throws -> String {
        let kind: JSON.Kind =
            Settings.texts.contains(name)
            ? .string : Settings.flags.contains(name) ? .bool : .number
        guard value.kind == kind, kind != .number || Int(value.description) != nil else {
            throw CannotRun.configuration("\(path): \(name) is of the wrong type")
        }
        return value.string ?? value.description
    }
}
