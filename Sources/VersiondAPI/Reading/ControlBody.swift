import Documents
import HTTPServing
import JSONTree
import Sentences

/// The body of a command, read member by member. All its errors are reported at once.
struct ControlBody {
    private let json: JSON
    private var known: Set<String> = []
    private var faults: [(pointer: String, detail: String)] = []
    /// Whether members that mean nothing are passed over (`Prefer: handling=lenient`).
    private let isLenient: Bool

    /// No body is an empty one. `levelsDown`: one with values for documents in it, so many levels
    /// down, which is as large as a body may be.
    init(_ call: Call, levelsDown: Int? = nil) throws(Problem) {
        isLenient = call.preferences.isLenient
        if call.bytes.isEmpty {
            json = JSON(members: [])
            return
        }
        guard call.mediaType == MediaType.json || call.mediaType == MediaType.mergePatch else {
            throw call.unsupported([MediaType.json], example: MediaType.json)
        }
        if let levelsDown {
            json = try call.value(levelsDown: levelsDown)
        } else {
            guard call.bytes.count <= ControlBody.bytesMax else {
                throw Problem(HTTPFault.bodyTooLarge(max: ControlBody.bytesMax))
            }
            json = try call.body()
        }
        guard json.kind == .object else {
            throw Problem(
                .malformedRequest, "The body must be an object.", hint: "Send {…}, or no body.")
        }
    }

    /// An object of a file; members that begin with `//` are comments.
    init(file json: JSON) {
        self.init(
            JSON(members: (json.members ?? []).filter { !$0.name.hasPrefix("//") }),
            isLenient: false)
    }

    /// The body of a call that is parsed already; what is no object has no members.
    init(_ json: JSON, of call: Call) {
        self.init(json, isLenient: call.preferences.isLenient)
    }

    private init(_ json: JSON, isLenient: Bool) {
        self.json = json
        self.isLenient = isLenient
    }

    /// Which of these members there are.
    func present(_ names: [String]) -> [String] { names.filter { json[$0] != nil } }

    /// A member, whatever it is.
    mutating func member(_ name: String) -> JSON? {
        known.insert(name)
        return json[name]
    }

    /// Notes what is wrong with a member.
    mutating func fault(_ name: String, _ detail: String) {
        let pointer = name.isEmpty ? JSONPointer.root : JSONPointer(names: [name])
        faults.append((pointer: pointer.description, detail: detail))
    }

    /// The same for a place inside a member.
    mutating func fault(_ name: String, at place: JSONPointer, _ detail: String) {
        let pointer = JSONPointer(names: [name]).description + place.description
        faults.append((pointer: pointer, detail: detail))
    }

    /// A member as `read` makes it; `nil`, and a fault, if it makes nothing of it.
    mutating func member<Value>(
        _ name: String, _ what: String, _ read: (JSON) -> Value?
    ) -> Value? {
        guard let value = member(name) else { return nil }
        if let value = read(value) { return value }
        fault(name, "\(name) must be \(what).")
        return nil
    }

    /// The texts of an array as `read` makes them; `nil` if it makes nothing of one, if something
    /// is no text, or if the number is out of range.
    static func list<Value>(
        _ value: JSON, _ range: ClosedRange<Int>, _ read: (String) -> Value?
    ) -> [Value]? {
        guard let elements = value.elements, range.contains(elements.count) else { return nil }
        let values = elements.compactMap { $0.string.flatMap(read) }
        return values.count == elements.count ? values : nil
    }

    mutating func flag(_ name: String) -> Bool {
        member(name, "true or false") { $0.bool } ?? false
    }

    mutating func text(_ name: String, _ what: String) -> String? {
        member(name, what) { $0.string }
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        let most = range.upperBound == .max ? "on" : "to \(range.upperBound)"
        return member(name, "a number from \(range.lowerBound) \(most)") { value in
            value.int.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func duration(_ name: String, _ range: ClosedRange<Duration>) -> Duration? {
        let what =
            "a duration from \(HumanDuration.text(range.lowerBound)) to "
            + "\(HumanDuration.text(range.upperBound)), like 500ms, 2s or 1m"
        return member(name, what) { value in
            value.string.flatMap(HumanDuration.parse).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// An object inside; its errors are reported with the others. `null` is not the same as none.
    mutating func object<Value>(_ name: String, _ read: (inout ControlBody) -> Value) -> Value? {
        guard let value = member(name), value.kind == .object else {
            if json[name] != nil { fault(name, "\(name) must be an object.") }
            return nil
        }
        var inner = ControlBody(value, isLenient: isLenient)
        let result = read(&inner)
        inner.findUnknown()
        faults += inner.faults.map { (pointer: "/\(name)\($0.pointer)", detail: $0.detail) }
        return result
    }

    /// An array of objects; their errors are reported with the others.
    mutating func objects<Value>(
        _ name: String, _ range: ClosedRange<Int>, _ read: (inout ControlBody) -> Value
    ) -> [Value] {
        let elements = member(name)?.elements ?? []
        guard range.contains(elements.count), elements.allSatisfy({ $0.kind == .object }) else {
            fault(name, "\(name) must be \(range.lowerBound) to \(range.upperBound) objects.")
            return []
        }
        return elements.enumerated().map { index, element in
            var inner = ControlBody(element, isLenient: isLenient)
            let result = read(&inner)
            inner.findUnknown()
            faults += inner.faults.map {
                (pointer: "/\(name)/\(index)\($0.pointer)", detail: $0.detail)
            }
            return result
        }
    }

    /// An address, or a revision as a number.
    mutating func address(_ name: String) -> StateAddress? {
        member(name, "a revision, head, version:N, tag:NAME or a time") { value in
            let text = value.string ?? value.int.map { "\($0)" }
            let address = text.flatMap { try? StateAddress($0, named: name) }
            return address?.isRevision == true ? address : nil
        }
    }

    private mutating func findUnknown() {
        if isLenient { return }
        for member in json.members ?? [] where !known.contains(member.name) {
            if faults.count > ControlBody.faultsMax { return }
            let name = String(member.name.prefix(ControlBody.nameMax))
            fault(name, "\(name) means nothing here.")
        }
    }

    /// Keeps the list of errors readable, and the response smaller than the request.
    private static let faultsMax = 16
    private static let nameMax = 64
    /// A command needs no more; its response lists all errors.
    static let bytesMax = 256 << 10

    /// Everything that was found wrong, each with its place.
    var allFaults: [String] {
        mutating get {
            findUnknown()
            return faults.map { "\($0.pointer): \($0.detail)" }
        }
    }

    /// Throws everything that was found wrong.
    mutating func finish(hint: String? = nil) throws(Problem) {
        findUnknown()
        guard !faults.isEmpty else { return }
        let told = faults.prefix(ControlBody.faultsMax)
        let names = known.sorted().joined(separator: ", ")
        let more = faults.count > told.count ? " And more." : ""
        var problem = Problem(
            .malformedRequest, told.map(\.detail).joined(separator: " ") + more,
            hint: hint ?? (known.isEmpty ? "Send no body." : "Known here: \(names)."))
        var text = JSONText()
        text.array(told) { text, fault in
            text.object { text in
                text.member("pointer", fault.pointer)
                text.member("detail", fault.detail.plain)
            }
        }
        problem = problem.with("errors", .json(text.bytes))
        throw problem
    }
}

extension Call {
    /// For commands without a body.
    func noBody() throws(Problem) {
        var body = try ControlBody(self)
        try body.finish()
    }
}
