import JSONTree
import TestSupport
import Testing

@testable import VersiondAPI

/// The section *One word, one meaning* of HTTP.md, for every row of the table.
@Suite struct VocabularyTests {
    private let schemas = Schemas.all

    private func names(_ endpoint: Endpoint) -> Set<String> { Set(endpoint.query.map(\.name)) }

    private static func schema(of body: Endpoint.Body) -> String? {
        switch body {
        case .command(let name), .required(let name): name
        case .edit(let name, _): name == "Anything" ? nil : name
        case .none, .value: nil
        }
    }

    @Test func `a query parameter has one schema and one meaning wherever it stands`() {
        // A page begins where the last one ended, whatever that is; many documents
        // have times and positions in common.
        let schemas: [String: Set<String>] = [
            "cursor": ["Prefix", "Revision", "Position"], "since": ["Address", "CommonState"],
            "until": ["Address", "CommonState"],
            // An edit has a side of two; a draft and its origin both have names.
            "conflict": ["ConflictPolicy", "DraftPolicy"],
        ]
        let all = Dictionary(grouping: Endpoint.all.flatMap(\.query), by: \.name)
        for (name, parameters) in all {
            let found = Set(parameters.map(\.schema))
            #expect(found.count == 1 || found == schemas[name], "\(name): \(found)")
            // These say what they are for.
            if ["at", "actor", "label", "ttl"].contains(name) { continue }
            #expect(Set(parameters.map(\.meaning)).count == 1, "\(name)")
        }
    }

    @Test func `every change takes a label and a dry run, in the query`() {
        for endpoint in Endpoint.all {
            guard case .change = endpoint.response else { continue }
            #expect(names(endpoint).isSuperset(of: ["label", "dryRun"]), "\(endpoint.id)")
        }
    }

    @Test func `how a thing is done stands in the query, and what in the body`() {
        let how = Endpoint.all.flatMap(\.query).filter {
            ["label", "dryRun", "conflict", "base", "own", "debounce", "group", "consistency"]
                .contains($0.name)
        }
        let names = Set(how.map(\.name))
        #expect(names.count == 8)
        for endpoint in Endpoint.all {
            guard let name = VocabularyTests.schema(of: endpoint.body), name != "Settings" else {
                continue
            }
            let members = schemas[name]?["properties"]?.members?.map(\.name) ?? []
            #expect(!members.isEmpty, "\(name)")
            #expect(names.isDisjoint(with: members), "\(name): \(members)")
        }
    }

    @Test func `an address is called at, base, from, to, since or until, and only that is so`() {
        let words: Set = ["at", "base", "from", "to", "since", "until"]
        for endpoint in Endpoint.all {
            for parameter in endpoint.query {
                let isAddress = ["Address", "CommonState"].contains(parameter.schema)
                #expect(words.contains(parameter.name) == isAddress, "\(parameter.name)")
            }
            guard let name = VocabularyTests.schema(of: endpoint.body) else { continue }
            for member in schemas[name]?["properties"]?.members ?? [] {
                let schema = member.value["$ref"]?.string?.split(separator: "/").last ?? ""
                let isAddress = ["Address", "State", "CommonState", "CommitPosition"]
                    .contains(schema)
                #expect(words.contains(member.name) == isAddress, "\(name).\(member.name)")
            }
        }
    }

    @Test func `lists are pages by limit, cursor and next`() {
        for endpoint in Endpoint.all {
            let isPage: Bool
            var response: String?
            switch endpoint.response {
            case .list(let name): (isPage, response) = (true, name)
            case .feed: (isPage, response) = (true, "FeedPage")
            default: isPage = false
            }
            #expect(
                names(endpoint).isSuperset(of: ["limit", "cursor"]) == isPage, "\(endpoint.id)")
            guard let response else { continue }
            #expect(members(response)["next"] != nil, "\(response)")
        }
    }

    @Test func `a member has one shape wherever it stands`() throws {
        // A name with a meaning of JSON Schema, or in a value of the client.
        let free: Set = ["value", "found", "type"]
        // A revision where it is one, the address where it is not; nothing where there is none.
        let shapes: [String: Set<String>] = [
            "next": ["integer", "string"],
            "from": ["string", "string Address", "integer string"],
            "to": [
                "string Address", "integer string State", "string", "integer string",
            ],
            "at": ["string Address", "integer string State", "string"],
            // Places alone, and a list that may not be empty.
            "paths": ["array string", "array string Pointers"],
            // As it is set, and as it is.
            "debounce": ["object string", "object DebounceState"],
            "retention": ["object", "object Bounds"],
            // The whole, and the names alone.
            "changes": [
                "array ChangeInfo", "array ChangeRecord", "array RecentChange", "array Member",
                "array MemberOutcome", "array DraftMerge", "array integer Revisions",
                "array integer",
            ],
            "tags": ["array Tag", "array string"],
            "snapshots": ["array SnapshotInfo", "array string"],
            // The actor's next undo and redo, and in the status their effects; and in an edit the
            // own changes that the base also has.
            "own": ["object OwnAvailability", "object OwnStatus", "array string"],
            // The step that it would be, and in a member of a transaction what is to be undone.
            "undo": ["object OwnStep", "object"],
            // By its name, and with the place of a part in it.
            "transaction": ["string", "object PartInfo"],
            // Of a sentence, and of a transaction.
            "parts": ["array object", "array Part"],
            // With what there is to know of them, and their names alone.
            "documents": ["array object", "array RunDocument", "array string"],
            "runs": ["array RunInfo", "array string"],
            // As it is, and as an address.
            "base": ["integer", "integer string State"],
            // All work in a scope, or all selected work; in the status the effect of that.
            "all": ["boolean", "object Selection"],
            // By its name, what became of it, and what it has where a draft has something else.
            "origin": ["string", "object Change", ""],
            // The changes of each, and their names alone.
            "drafts": ["array Draft", "array string"],
            // The authors, and the values.
            "places": ["array object", "array DraftConflict", "array RunPlace"],
            // The age of a group, and the limit of a quota.
            "max": ["string", "integer"],
            // The daemon's own.
            "version": ["integer", "string"],
            // The client's own name of a message, and the daemon's of a transaction.
            "id": ["string", "number string"],
            // Of one document, and by the names of several.
            "match": ["integer string", "object"],
            "resolve": ["object Resolutions", "object"],
        ]
        var found: [String: Set<String>] = [:]
        for (schema, definition) in schemas.members ?? [] {
            collect(definition, in: schema, into: &found)
        }
        #expect(found.count > 80)
        for (name, kinds) in found where !free.contains(name) {
            #expect(kinds.count == 1 || kinds.isSubset(of: shapes[name] ?? []), "\(name): \(kinds)")
        }
    }

    @Test func `every call is named by a verb and a noun, once`() {
        let verbs = [
            "read", "list", "put", "patch", "append", "delete", "undelete", "rename", "purge",
            "undo", "redo", "goTo", "restore", "seal", "change", "push", "pop", "discard",
            "follow", "make", "export", "check", "open", "close", "update", "merge", "send",
        ]
        let ids = Endpoint.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        for id in ids {
            // Undo and redo are also nouns.
            if ["undo", "redo"].contains(id) { continue }
            let verb = verbs.first { id.hasPrefix($0) }
            let noun = verb.map { id.dropFirst($0.count) }
            #expect(noun?.first?.isUppercase == true, "\(id)")
        }
    }

    @Test func `durations are texts with a unit, and are called so nowhere else`() {
        for parameter in Endpoint.all.flatMap(\.query)
        where ["wait", "heartbeat", "debounce", "ttl"].contains(parameter.name) {
            #expect(parameter.schema == "Duration", "\(parameter.name)")
        }
        let text = schemas.description
        for unit in ["seconds", "Seconds", "milliseconds", "minutes"] {
            #expect(!text.contains("\"\(unit)"), "\(unit)")
        }
    }

    /// The members of a schema, with those of its parts.
    private func members(_ name: String) -> [String: JSON] {
        var result: [String: JSON] = [:]
        func add(_ schema: JSON?) {
            for member in schema?["properties"]?.members ?? [] {
                result[member.name] = member.value
            }
            for part in schema?["allOf"]?.elements ?? [] {
                let name = part["$ref"]?.string?.split(separator: "/").last.map(String.init)
                add(name.map { schemas[$0] } ?? part)
            }
        }
        add(schemas[name])
        return result
    }

    private func collect(_ schema: JSON, in name: String, into found: inout [String: Set<String>]) {
        for member in schema["properties"]?.members ?? [] {
            found[member.name, default: []].insert(shape(member.value))
            collect(member.value, in: name, into: &found)
        }
        for part in schema["allOf"]?.elements ?? [] { collect(part, in: name, into: &found) }
        if let items = schema["items"] { collect(items, in: name, into: &found) }
    }

    /// The type of a value, but for whether it may be nothing.
    private func shape(_ schema: JSON) -> String {
        if let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) {
            let named = schemas[name].map(shape) ?? "?"
            return named == "string" && name != "Address" ? "string" : "\(named) \(name)"
        }
        if let cases = schema["oneOf"]?.elements {
            let some = cases.filter { $0["type"] != "null" }
            return some.count == 1 ? shape(some[0]) : "one"
        }
        if schema["allOf"] != nil { return "object" }
        let types = schema["type"]?.elements?.compactMap(\.string) ?? [schema["type"]?.string ?? ""]
        let type = types.filter { $0 != "null" }.sorted().joined(separator: " ")
        guard type == "array", let items = schema["items"] else { return type }
        let item = shape(items)
        return "array " + (item.split(separator: " ").last.map(String.init) ?? item)
    }
}
