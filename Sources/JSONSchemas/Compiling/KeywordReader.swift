import JSONTree
import Patterns

/// Reads the keywords of one schema object. Unknown members are annotations, as in the standard.
struct KeywordReader {
    let json: JSON
    let place: JSONPointer
    var compiler: SchemaCompiler

    init(_ json: JSON, at place: JSONPointer, _ compiler: SchemaCompiler) {
        self.json = json
        self.place = place
        self.compiler = compiler
    }

    mutating func subschema() throws(JSONSchema.Fault) -> Subschema {
        try checkVersion()
        var keywords = try ofAnyValue()
        keywords += try ofNumbers()
        keywords += try ofTexts()
        keywords += try ofArrays()
        keywords += try ofObjects()
        keywords += try choices()
        let rest = try ofTheRest()
        return Subschema(keywords: keywords + rest, asksForRest: !rest.isEmpty)
    }

    func fault(_ keyword: String, _ detail: String) -> JSONSchema.Fault {
        JSONSchema.Fault(pointer: pointer(keyword), detail: detail)
    }

    func pointer(_ keyword: String, _ more: MemberName...) -> JSONPointer {
        JSONPointer(tokens: place.tokens + [MemberName(keyword)] + more)
    }

    private static let version = "https://json-schema.org/draft/2020-12/schema"

    /// Other versions give the same words another meaning.
    private func checkVersion() throws(JSONSchema.Fault) {
        if let version = json["$schema"], version.string != KeywordReader.version,
            version.string != KeywordReader.version + "#"
        {
            throw fault("$schema", "$schema must be \(KeywordReader.version), or left out.")
        }
        if json["$dynamicRef"] != nil {
            throw fault("$dynamicRef", "$dynamicRef is not supported; use $ref.")
        }
    }

    // MARK: Parts

    /// A schema at a keyword.
    mutating func schema(_ keyword: String) -> Int? {
        json[keyword] == nil ? nil : compiler.index(of: pointer(keyword))
    }

    /// A list of schemas, of which there is one at least.
    mutating func schemas(_ keyword: String) throws(JSONSchema.Fault) -> [Int]? {
        guard let list = json[keyword] else { return nil }
        guard list.kind == .array, list.count > 0 else {
            throw fault(keyword, "\(keyword) must be a list of schemas.")
        }
        return (0..<list.count).map { index in
            compiler.index(of: pointer(keyword, MemberName("\(index)")))
        }
    }

    func members(_ keyword: String) throws(JSONSchema.Fault) -> [(name: MemberName, value: JSON)] {
        guard let object = json[keyword] else { return [] }
        guard object.kind == .object else { throw fault(keyword, "\(keyword) must be an object.") }
        var members: [(name: MemberName, value: JSON)] = []
        object.forEachMember { members.append(($0, $1)) }
        return members
    }

    func names(_ list: JSON, _ keyword: String) throws(JSONSchema.Fault) -> [MemberName] {
        let elements = list.elements
        let names = elements?.compactMap { $0.utf8.map { MemberName($0) } }
        guard let names, names.count == elements?.count else {
            throw fault(keyword, "\(keyword) must name members.")
        }
        return names
    }

    func count(_ keyword: String) throws(JSONSchema.Fault) -> Int? {
        guard let value = json[keyword] else { return nil }
        guard let count = ExactNumber(value)?.count else {
            throw fault(keyword, "\(keyword) must be a whole number from 0 on.")
        }
        return count
    }

    mutating func pattern(_ text: String, _ keyword: String) throws(JSONSchema.Fault) -> Pattern {
        compiler.patternCount += 1
        guard compiler.patternCount <= JSONSchema.patternsMax else {
            throw fault(keyword, "A schema has at most \(JSONSchema.patternsMax) patterns.")
        }
        do { return try Pattern(text) } catch {
            throw fault(keyword, "The pattern \(text) cannot be used: \(error.detail).")
        }
    }
}
