import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

extension Call {
    /// Bounds a command; its response may list all faults.
    private static let commandBytesMax = 256 << 10

    /// The body of a command, which fits the schema of the call; without a body, an empty object.
    /// `levelsDown`: the depth of document values in the body, which may then have the maximal
    /// size.
    func command(levelsDown: Int? = nil) throws(Problem) -> JSON {
        var command = JSON(members: [])
        if !bytes.isEmpty {
            guard mediaType == MediaType.json || mediaType == MediaType.mergePatch else {
                throw unsupported([MediaType.json], example: MediaType.json)
            }
            if let levelsDown {
                command = try value(levelsDown: levelsDown)
            } else {
                guard bytes.count <= Call.commandBytesMax else {
                    throw Problem(HTTPFault.bodyTooLarge(max: Call.commandBytesMax))
                }
                command = try body()
            }
        }
        let rule = match?.path.endpoint(method)?.bodyRule
        try rule?.check(command, isLenient: preferences.isLenient)
        return command
    }
}

// Reads the members of a body that matches its schema.
extension JSON {
    /// Which of these members there are.
    func present(_ names: [String]) -> [String] { names.filter { self[$0] != nil } }

    /// The same if at most one of them is allowed. `place`: the place of this body.
    func oneAtMost(of names: [String], at place: String = "") throws(Problem) -> [String] {
        let named = present(names)
        if named.count < 2 { return named }
        throw Problem(
            malformed: place, "\(named.joined(separator: ", ")) exclude each other.")
    }

    func flag(_ name: String) -> Bool { self[name]?.bool ?? false }

    func name(_ name: String) -> Name? { self[name]?.string.map { Name($0) } }

    func duration(_ name: String) -> Duration? { self[name]?.string.flatMap(HumanDuration.parse) }

    func document(_ name: String) throws(Problem) -> DocumentID {
        if let document = self[name]?.string.flatMap({ DocumentID($0) }) { return document }
        throw Problem(malformed: "/\(name)", "\(name) is missing.")
    }

    func address(_ name: String) -> Address? {
        self[name]?.place.flatMap { try? Address($0, named: name) }
    }

    /// A revision or `*`.
    func revisions(_ name: String) -> Precondition.Revisions? {
        self[name]?.place.flatMap { $0 == "*" ? .any : WholeNumber.parse($0).map { .these([$0]) } }
    }

    /// The texts of a list, parsed.
    func list<Value>(_ name: String, _ read: (String) -> Value?) -> [Value]? {
        self[name]?.elements?.compactMap { $0.string.flatMap(read) }
    }

    /// The places that a command names; the root if it names none.
    func pointers(_ name: String) -> [JSONPointer] {
        list(name) { JSONPointer(parsing: $0) } ?? [.root]
    }

    /// A text, or a number as it would be written in a text.
    var place: String? { string ?? int.map { "\($0)" } }
}
