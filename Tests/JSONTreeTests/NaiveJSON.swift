import JSONTree

/// A slow, obvious JSON value: the model that trees are compared with.
indirect enum NaiveJSON: Equatable {
    case scalar(String)
    case text(String)
    case array([NaiveJSON])
    /// In the order in which members were added.
    case object([(name: String, value: NaiveJSON)])

    /// An operation that RFC 6902 does not allow here.
    struct Refused: Error {}

    init(_ json: JSON) {
        if let elements = json.elements {
            self = .array(elements.map { NaiveJSON($0) })
        } else if let members = json.members {
            self = .object(members.map { (name: $0.name, value: NaiveJSON($0.value)) })
        } else if let string = json.string {
            self = .text(string)
        } else {
            self = .scalar(json.description)
        }
    }

    /// How many values there are: itself and everything in it.
    var valueCount: Int {
        switch self {
        case .scalar, .text: 1
        case .array(let elements): 1 + elements.reduce(0) { $0 + $1.valueCount }
        case .object(let members): 1 + members.reduce(0) { $0 + $1.value.valueCount }
        }
    }

    /// As JSON text.
    var json: String {
        switch self {
        case .scalar(let text): text
        case .text(let string): JSON(string).description
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { JSON($0.name).description + ":" + $0.value.json }
                .joined(separator: ",") + "}"
        }
    }

    /// Member order apart.
    static func == (left: NaiveJSON, right: NaiveJSON) -> Bool {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)): return left == right
        case (.text(let left), .text(let right)):
            return left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): return left == right
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            return left.allSatisfy { member in
                right.contains {
                    NaiveJSON.isSame($0.name, member.name) && $0.value == member.value
                }
            }
        default: return false
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    // MARK: Pointers

    /// The index that a token means; `end` allows the position behind the last element.
    private static func index(_ token: String, _ count: Int, end: Bool) throws -> Int {
        if token == "-" && end { return count }
        guard let index = Int(token), index >= 0, String(index) == token,
            index < count || end && index == count
        else { throw Refused() }
        return index
    }

    func value(at path: [String]) throws -> NaiveJSON {
        guard let first = path.first else { return self }
        let rest = Array(path.dropFirst())
        switch self {
        case .array(let elements):
            return try elements[NaiveJSON.index(first, elements.count, end: false)].value(at: rest)
        case .object(let members):
            guard let member = members.first(where: { NaiveJSON.isSame($0.name, first) }) else {
                throw Refused()
            }
            return try member.value.value(at: rest)
        case .scalar, .text: throw Refused()
        }
    }

    // MARK: RFC 6902

    mutating func add(_ value: NaiveJSON, at path: [String]) throws {
        guard let last = path.last else {
            self = value
            return
        }
        try change(at: Array(path.dropLast())) { container in
            switch container {
            case .array(var elements):
                let index = try NaiveJSON.index(last, elements.count, end: true)
                elements.insert(value, at: index)
                container = .array(elements)
            case .object(var members):
                if let known = members.firstIndex(where: { NaiveJSON.isSame($0.name, last) }) {
                    members[known].value = value
                } else {
                    members.append((name: last, value: value))
                }
                container = .object(members)
            case .scalar, .text: throw Refused()
            }
        }
    }

    @discardableResult
    mutating func remove(at path: [String]) throws -> NaiveJSON {
        guard let last = path.last else { throw Refused() }
        let old = try value(at: path)
        try change(at: Array(path.dropLast())) { container in
            switch container {
            case .array(var elements):
                elements.remove(at: try NaiveJSON.index(last, elements.count, end: false))
                container = .array(elements)
            case .object(var members):
                members.removeAll { NaiveJSON.isSame($0.name, last) }
                container = .object(members)
            case .scalar, .text: throw Refused()
            }
        }
        return old
    }

    mutating func replace(at path: [String], with value: NaiveJSON) throws {
        _ = try self.value(at: path)
        try change(at: path) { $0 = value }
    }

    mutating func move(from: [String], to: [String]) throws {
        // Not into itself.
        if from.count < to.count && Array(to.prefix(from.count)) == from { throw Refused() }
        if from == to {
            _ = try value(at: from)
            return
        }
        let value = try remove(at: from)
        try add(value, at: to)
    }

    mutating func copy(from: [String], to: [String]) throws {
        try add(value(at: from), at: to)
    }

    private mutating func change(
        at path: [String], _ body: (inout NaiveJSON) throws -> Void
    ) throws {
        guard let first = path.first else { return try body(&self) }
        let rest = Array(path.dropFirst())
        switch self {
        case .array(var elements):
            let index = try NaiveJSON.index(first, elements.count, end: false)
            try elements[index].change(at: rest, body)
            self = .array(elements)
        case .object(var members):
            guard let index = members.firstIndex(where: { NaiveJSON.isSame($0.name, first) })
            else { throw Refused() }
            try members[index].value.change(at: rest, body)
            self = .object(members)
        case .scalar, .text: throw Refused()
        }
    }

    // MARK: RFC 7396

    /// The pseudocode of section 2, word for word.
    func merging(_ patch: NaiveJSON) -> NaiveJSON {
        guard case .object(let changes) = patch else { return patch }
        var target: [(name: String, value: NaiveJSON)] = []
        if case .object(let members) = self { target = members }
        for (name, value) in changes {
            let known = target.firstIndex { NaiveJSON.isSame($0.name, name) }
            if value == .scalar("null") {
                if let known { target.remove(at: known) }
            } else if let known {
                target[known].value = target[known].value.merging(value)
            } else {
                target.append((name: name, value: NaiveJSON.scalar("null").merging(value)))
            }
        }
        return .object(target)
    }

    // MARK: Places

    /// The paths of all values inside.
    var paths: [[String]] {
        switch self {
        case .scalar, .text: return [[]]
        case .array(let elements):
            let inside = elements.enumerated().flatMap { index, element in
                element.paths.map { [String(index)] + $0 }
            }
            return [[]] + inside
        case .object(let members):
            let inside = members.flatMap { member in member.value.paths.map { [member.name] + $0 } }
            return [[]] + inside
        }
    }
}
