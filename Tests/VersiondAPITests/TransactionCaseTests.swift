import JSONTree
import TestSupport
import Testing

/// The worked cases of transactions, over HTTP against the daemon.
@Suite struct TransactionCaseTests {
    struct Case: Sendable, CustomStringConvertible {
        let number: Int
        let title: String
        var start = #"{"a":{"n":5},"b":{"n":0}}"#
        let script: String

        var description: String { "\(number). \(title)" }
    }

    private static let list = #"{"a":{"l":[{"id":1,"v":1}]},"b":{"l":[]}}"#
    private static let first = "T ada a:/n=4, b:/n=1"
    private static let moved = #"T ada a:-/l/0, b:+/l/0={"id":1,"v":1} ; E bob b:/l/0/v=2"#
    private static let cases = [
        Case(number: 1, title: "both or none", script: first + #" => {"a":{"n":4},"b":{"n":1}}"#),
        Case(
            number: 2, title: "one does not fit",
            script: #"T ada a:/n=4, b:/q/x=1 !patch-does-not-apply b => {"a":{"n":5},"b":{"n":0}}"#),
        Case(
            number: 3, title: "undone as one step",
            script: first + #" ; u ada a => {"a":{"n":5},"b":{"n":0}} ; u ada b !nothing-to-undo b"#
        ),
        Case(
            number: 4, title: "redone as one step, from the other document",
            script: first + #" ; u ada a ; r ada b => {"a":{"n":4},"b":{"n":1}}"#),
        Case(
            number: 5, title: "others edited elsewhere",
            script: first + #" ; E bob b:+/m=7 ; u ada a => {"a":{"n":5},"b":{"n":0,"m":7}}"#),
        Case(
            number: 6, title: "overwritten in one: passed there",
            script: first + #" ; E bob b:/n=9 ; u ada a => {"a":{"n":5},"b":{"n":9}}"#
                + #" ; u bob b => {"a":{"n":5},"b":{"n":0}}"#),
        Case(
            number: 7, title: "a conflict in one refuses all", start: list,
            script: moved + " ; u ada a !conflict b"
                + #" => {"a":{"l":[]},"b":{"l":[{"id":1,"v":2}]}}"#
                + #" ; u ada a mine => {"a":{"l":[{"id":1,"v":1}]},"b":{"l":[]}}"#),
        Case(
            number: 8, title: "the same, skip", start: list,
            script: moved
                + #" ; u ada a theirs => {"a":{"l":[{"id":1,"v":1}]},"b":{"l":[{"id":1,"v":2}]}}"#),
        Case(
            number: 9, title: "alone",
            script: first + #" ; u ada a alone => {"a":{"n":5},"b":{"n":1}}"#
                + #" ; ut 0 ~a => {"a":{"n":5},"b":{"n":0}}"#),
        Case(
            number: 10, title: "an own edit after it in one document is undone first there",
            script: first + #" ; E ada b:/n=2 ; u ada b => {"a":{"n":4},"b":{"n":1}}"#
                + #" ; u ada b => {"a":{"n":5},"b":{"n":0}}"#),
        Case(
            number: 11, title: "from the other document past it",
            script: first + #" ; E ada b:+/m=2 ; u ada a => {"a":{"n":5},"b":{"n":0,"m":2}}"#
                + #" ; u ada b => {"a":{"n":5},"b":{"n":0}}"#
                + #" ; r ada b => {"a":{"n":5},"b":{"n":0,"m":2}}"#
                + #" ; r ada a => {"a":{"n":4},"b":{"n":1,"m":2}}"#),
        Case(
            number: 12, title: "two transactions, the older by its number",
            script: first
                + #" ; T ada a:+/x=1, b:+/x=1 ; ut 0 => {"a":{"n":5,"x":1},"b":{"n":0,"x":1}}"#
                + #" ; u ada a => {"a":{"n":5},"b":{"n":0}}"#),
        Case(
            number: 13, title: "somebody else undoes it by its number",
            script: first + #" ; E bob a:+/k=1 ; ut 0 => {"a":{"n":5,"k":1},"b":{"n":0}}"#
                + #" ; r ada a => {"a":{"n":4,"k":1},"b":{"n":1}}"#),
        Case(
            number: 14, title: "off the line in one: absent there",
            script: first + #" ; U b => {"a":{"n":4},"b":{"n":0}}"#
                + #" ; u ada a => {"a":{"n":5},"b":{"n":0}}"#),
        Case(
            number: 15, title: "three documents: passed, plain, typed into",
            start: #"{"a":{"n":1},"b":{"t":"hot soup"},"c":{"n":1}}"#,
            script: #"T ada a:/n=2, b:/t@4"red ", c:/n=2 ; E bob b:/t@5"XX""#
                + #" => {"a":{"n":2},"b":{"t":"hot rXXed soup"},"c":{"n":2}}"#
                + #" ; E bob c:/n=3 ; u ada c => {"a":{"n":1},"b":{"t":"hot XXsoup"},"c":{"n":3}}"#
                + #" ; r ada a => {"a":{"n":2},"b":{"t":"hot rXXed soup"},"c":{"n":3}}"#),
        Case(
            number: 16, title: "an own edit ends what could be redone there, not elsewhere",
            script: first + " ; u ada a ; E ada b:+/m=1 ; r ada b !nothing-to-redo b"
                + #" ; ut 1 => {"a":{"n":4},"b":{"n":1,"m":1}}"#),
        Case(
            number: 17, title: "invisible here, seen there: that is the step",
            script: "E ada b:+/m=1 ; " + first
                + #" ; E bob b:/n=9 ; u ada b => {"a":{"n":5},"b":{"n":9,"m":1}}"#
                + #" ; u ada b => {"a":{"n":5},"b":{"n":9}}"#),
    ]

    @Test(arguments: cases)
    func `19: the worked cases have the values that people expect`(one: Case) throws {
        var scene = try TransactionScene(one.start)
        for step in try one.script.pieces(by: " ; ") { try scene.perform(step) }
        try scene.checkFeed()
    }
}

/// Documents on a daemon, and what is done to them in the notation of the cases.
struct TransactionScene {
    let daemon = Result { try LocalDaemon() }
    private var transactions: [String] = []

    init(_ start: String) throws {
        for (name, value) in try JSON(parsing: Array(start.utf8)).members ?? [] {
            let made = try request("PUT", "/v1/documents/\(name)", value.description)
            #expect(made.status == 201)
        }
    }

    func request(
        _ method: String, _ path: String, _ body: String? = nil, by actor: String? = nil,
        type: String = "application/json"
    ) throws -> Answer {
        var fields: [String: String] = body == nil ? [:] : ["Content-Type": type]
        if let actor { fields = fields.by(actor) }
        return try daemon.get().client.request(method, path, fields, body: body)
    }

    /// A step: what is done, `!` how it is refused, `~` what is absent or skipped, `=>` the values
    /// after it.
    mutating func perform(_ text: String) throws {
        var rest = text
        var values: JSON?
        if let (before, after) = rest.cut(" => ") {
            (rest, values) = (before, try JSON(parsing: Array(after.utf8)))
        }
        var refusal: [String] = []
        if let (before, after) = rest.cut(" !") {
            (rest, refusal) = (before, after.split(separator: " ").map(String.init))
        }
        var absent: String?
        if let (before, after) = rest.cut(" ~") { (rest, absent) = (before, after) }
        let answer = try act(rest)
        if refusal.isEmpty {
            #expect(answer.status == 200, "\(text): \(answer.text)")
        } else {
            #expect(answer.code == refusal[0], "\(text): \(answer.text)")
            let place = try answer.json["document"]?.string
            if let place { #expect(place == refusal[1], "\(text)") }
        }
        if let absent {
            let members = try answer.json["changes"]?.elements ?? []
            #expect(members.contains { $0["document"]?.string == absent && $0["revision"] == nil })
        }
        for (name, value) in values?.members ?? [] {
            #expect(try request("GET", "/v1/documents/\(name)").json == value, "\(text): \(name)")
        }
    }

    private mutating func act(_ text: String) throws -> Answer {
        let words = text.split(separator: " ", maxSplits: 2).map(String.init)
        switch words[0] {
        case "T":
            let members = try words[2].pieces(by: ", ").map { part -> JSON in
                guard let (name, edit) = part.cut(":") else { return .null }
                return ["document": JSON(name), "patch": try Self.patch(edit)]
            }
            let body: JSON = ["changes": JSON(elements: members)]
            return note(
                try request("POST", "/v1/transactions", body.description, by: words[1]))
        case "E":
            guard let (name, edit) = words[2].cut(":") else { return try act("") }
            return try request(
                "PATCH", "/v1/documents/\(name)", Self.patch(edit).description, by: words[1],
                type: "application/json-patch+json")
        case "u", "r": return note(try own(words))
        case "ut":
            let name = transactions[Int(words[1]) ?? 0]
            return note(try request("POST", "/v1/undo", #"{"transaction":"\#(name)"}"#, by: "dan"))
        default: return try request("POST", "/v1/documents/\(words[1])/undo?alone")
        }
    }

    private func own(_ words: [String]) throws -> Answer {
        let call = words[0] == "u" ? "undo" : "redo"
        let rest = words[2].split(separator: " ").map(String.init)
        let option = rest.count > 1 ? rest[1] == "alone" ? "?alone" : "?conflict=\(rest[1])" : ""
        return try request(
            "POST", "/v1/documents/\(rest[0])/\(call)\(option)",
            #"{"actor":"\#(words[1])"}"#, by: words[1])
    }

    private mutating func note(_ answer: Answer) -> Answer {
        let json = try? answer.json
        let name = json?["transaction"]?.string ?? json?["change"]?["transaction"]?["id"]?.string
        if let name { transactions.append(name) }
        return answer
    }

    private static func patch(_ edit: String) throws -> JSON {
        let body = edit.hasPrefix("/") || edit.hasPrefix("+") || edit.hasPrefix("-") ? edit : ""
        return JSON(elements: try UndoCase.operations(body))
    }

    /// The parts of each transaction are consecutive in the feed, and lead to the values.
    func checkFeed() throws {
        let events =
            try request("GET", "/v1/feed?cursor=0&limit=500").json["events"]?.elements ?? []
        var values: [String: JSON] = [:]
        var open: (id: String, part: Int, of: Int)?
        for event in events {
            let name = event["document"]?.string ?? ""
            let patch = try JSONPatch(try #require(event["patch"]), limits: .standard)
            values[name] = try (values[name] ?? .null).applying(patch).tree
            let part = event["change"]?["transaction"]
            if let last = open, last.part < last.of {
                #expect(part?["id"]?.string == last.id && part?["part"]?.int == last.part + 1)
            }
            open = part.map {
                ($0["id"]?.string ?? "", $0["part"]?.int ?? 0, $0["count"]?.int ?? 0)
            }
        }
        #expect(open.map { $0.part == $0.of } ?? true)
        for (name, value) in values {
            #expect(try request("GET", "/v1/documents/\(name)").json == value)
        }
    }
}
