import Foundation
import JSONTree

/// The sources of settings: options override the environment, which overrides the file. An
/// unknown or invalid setting is an error.
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

    private func said(_ key: String) -> String? {
        sources.lazy.compactMap { $0.values[key] }.first
    }

    func text(_ key: String) -> String {
        guard case .text(let value)? = Setting.all[key]?.kind else {
            preconditionFailure("\(key) is not a text")
        }
        return said(key) ?? value
    }

    /// A list with commas between.
    func texts(_ key: String) -> [String] {
        text(key).split(separator: ",").map { $0.filter { $0 != " " } }
    }

    /// A text that is parsed to another type.
    func value<Value>(
        _ key: String, _ what: String, _ read: (String) -> Value?
    ) throws -> Value {
        if let value = read(text(key)) { return value }
        throw CannotRun.configuration("\(key) must be \(what)")
    }

    func flag(_ key: String) -> Bool {
        guard case .flag(let value)? = Setting.all[key]?.kind else {
            preconditionFailure("\(key) is not a flag")
        }
        return said(key).map { $0 == "true" } ?? value
    }

    /// `fallback`: the default if the table has none.
    func number(_ key: String, else fallback: Int = 0) throws -> Int {
        guard case .number(let range, let value)? = Setting.all[key]?.kind else {
            preconditionFailure("\(key) is not a number")
        }
        let number = said(key).flatMap { Int($0) } ?? value ?? fallback
        guard range.contains(number) else {
            throw CannotRun.configuration(
                "\(key) must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

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
            if isServiceLink(name, value) || clientNames.contains(name) { continue }
            let words = name.dropFirst(9).lowercased().split(separator: "_")
            let key = words.enumerated().map { $0 == 0 ? String($1) : $1.capitalized }.joined()
            guard let setting = Setting.all[key] else {
                throw CannotRun.configuration("\(name) is unknown")
            }
            try check(value, of: setting, as: name)
            values[key] = value
        }
        return values
    }

    private static func check(_ value: String, of setting: Setting, as name: String) throws {
        switch setting.kind {
        case .text: break
        case .flag:
            guard ["true", "false"].contains(value) else {
                throw CannotRun.configuration("\(name) must be true or false")
            }
        case .number:
            if Int(value) == nil { throw CannotRun.configuration("\(name) must be a number") }
        }
    }

    /// The variables of versionctl, which a shell may also set.
    private static let clientNames: Set = [
        "VERSIOND_URL", "VERSIOND_TOKEN", "VERSIOND_ACTOR", "VERSIOND_LABEL", "VERSIOND_PROMPT_BY",
    ]

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
            throw CannotRun.configuration("cannot read \(path)")
        }
        guard let members = try? JSON(parsing: Array(text)).members else {
            throw CannotRun.configuration("\(path) must be a JSON object")
        }
        let unknown = members.map(\.name).sorted().filter {
            Setting.all[$0] == nil && !$0.hasPrefix("//")
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
            switch Setting.all[name]?.kind {
            case .text: .string
            case .flag: .bool
            case .number, nil: .number
            }
        guard value.kind == kind, kind != .number || Int(value.description) != nil else {
            throw CannotRun.configuration("\(path): \(name) is of the wrong type")
        }
        return value.string ?? value.description
    }
}
