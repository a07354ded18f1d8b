import ArgumentParser

/// An object of a file whose members must all mean something.
struct StrictObject {
    private let members: [String: Any]
    private let what: String
    private var known: Set<String> = []

    init(_ members: [String: Any], _ what: String) {
        self.members = members
        self.what = what
    }

    mutating func value(_ name: String) -> Any? {
        known.insert(name)
        return members[name]
    }

    mutating func text(_ name: String) throws -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value as? String else {
            throw ValidationError("\(what): \(name) must be text")
        }
        return text
    }

    mutating func flag(_ name: String) throws -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value as? Bool else {
            throw ValidationError("\(what): \(name) must be true or false")
        }
        return flag
    }

    mutating func texts(_ name: String) throws -> [String] {
        guard let texts = value(name) as? [String] else {
            throw ValidationError("\(what): \(name) must be a list of texts")
        }
        return texts
    }

    mutating func objects(_ name: String) throws -> [[String: Any]] {
        guard let value = value(name) else { return [] }
        guard let objects = value as? [[String: Any]] else {
            throw ValidationError("\(what): \(name) must be a list of objects")
        }
        return objects
    }

    func finish() throws {
        let unknown = members.keys.filter { !known.contains($0) && !$0.hasPrefix("//") }.sorted()
        guard unknown.isEmpty else {
            throw ValidationError(
                "\(what) has \(unknown.joined(separator: ", ")), which means nothing")
        }
    }
}
