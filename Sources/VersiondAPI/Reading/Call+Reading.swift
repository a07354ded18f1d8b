import AccessControl
import Documents
import HTTPServing
import Journaling
import JSONTree
import Naming
import VersioningKit

extension Call {
    /// The actor: the token's name, or a name below it that the client sends, as `agent/run-17`.
    /// With the right `admin`, and without tokens, any name that the client sends. That name is
    /// for the history and is not authenticated.
    func actor() throws(Problem) -> Name {
        guard let actor = try name(in: "versiond-actor", "Versiond-Actor") else {
            return Name(grant.name)
        }
        guard grant.rights.contains(.admin) || actor.isOne(of: Name(grant.name)) else {
            throw Problem(foreignActor: actor.text, of: grant.name)
        }
        return actor
    }

    /// The person or program that asked the actor for the change: the one that a signed token
    /// proves, otherwise the one that the client states.
    func promptBy() throws(Problem) -> Name? {
        let stated = try name(in: "versiond-prompt-by", "Versiond-Prompt-By")
            .flatMap { $0.isEmpty ? nil : $0 }
        guard let proven = grant.promptBy.map({ Name($0) }) else { return stated }
        guard stated ?? proven == proven else {
            throw Problem(otherRequester: stated?.text ?? "", proven: proven.text)
        }
        return proven
    }

    /// A percent-encoded name in a header field, with the characters that a token's name may
    /// have, because logs show it.
    private func name(in key: String, _ field: String) throws(Problem) -> Name? {
        guard let word = fields[key] else { return nil }
        guard let text = PercentEncoding.decode(word) else {
            throw Problem(
                .malformedRequest, "\(field) has an invalid percent-encoding.",
                hint: "Percent-encode the name as UTF-8: J%C3%BCrgen; % is %25.")
        }
        let isPlain = text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }
        if isPlain, text.utf8.count <= Limits.nameBytesMax { return Name(text) }
        let name = try name(text, of: field)
        guard Grant.isReadable(text) else {
            throw Problem(
                .malformedRequest, "\(field) has an invisible character or a line end.",
                hint: "Remove line ends, control characters, and joining or bidirectional marks.")
        }
        return name
    }

    func label() throws(Problem) -> String? {
        guard let label = query("label") else { return nil }
        return try name(label, of: "label").text
    }

    /// `Idempotency-Key`: names a request that the client may send again. Quoted or not, as
    /// the draft of the HTTPAPI working group has it and as most clients send it.
    func token() throws(Problem) -> RequestToken? {
        guard var key = fields["idempotency-key"] else { return nil }
        if key.count > 1, key.first == "\"", key.last == "\"" {
            key = String(key.dropFirst().dropLast())
        }
        guard !key.isEmpty, key.utf8.count <= Limits.tokenBytesMax else {
            throw Problem(
                .malformedRequest, "Idempotency-Key has 1 to \(Limits.tokenBytesMax) bytes.",
                hint: "Generate a new key for each change, for example with uuidgen.")
        }
        let target = head.target
        let query = target.query.map { "\($0.name)=\($0.value)" }
        let body = String(decoding: bytes, as: UTF8.self)
        let parts =
            [method.rawValue, mediaType ?? "", try actor().text, body] + target.segments + query
        let content = JSON(elements: parts.map { JSON($0) }).contentHash
        return RequestToken(key: Name(key), fingerprint: content)
    }

    /// The field of a response to a request that was carried out before, with the same key.
    func replayed(_ isRepeated: Bool) -> [(name: String, value: String)] {
        isRepeated ? [(name: "Idempotent-Replayed", value: "true")] : []
    }

    /// The field of a response to a PUT that created what the target names.
    var location: (name: String, value: String) {
        let path = head.target.segments.map(PercentEncoding.encode).joined(separator: "/")
        return (name: "Location", value: "/" + path)
    }

    /// The response to a PUT that says what there is now. `isNew`: there was none before.
    func json(_ text: JSONText, isNew: Bool, isRepeated: Bool) -> HTTPResponse {
        json(
            text, status: isNew ? 201 : 200,
            fields: (isNew ? [location] : []) + replayed(isRepeated))
    }

    func name(_ text: String, of what: String) throws(Problem) -> Name {
        guard text.utf8.count <= Limits.nameBytesMax else {
            throw Problem(.malformedRequest, "\(what) has at most \(Limits.nameBytesMax) bytes.")
        }
        // Invalid UTF-8 was decoded to this.
        guard !text.unicodeScalars.contains("\u{FFFD}") else {
            throw Problem(.malformedRequest, "\(what) must be UTF-8.")
        }
        return Name(text)
    }

    /// `If-Match` and `If-None-Match`.
    func precondition() throws(Problem) -> Precondition {
        Precondition(
            match: numbering.revisions(try revisions("if-match", isStrong: true)),
            noneMatch: numbering.revisions(
                try revisions("if-none-match", isStrong: method != .get && method != .head)))
    }

    /// RFC 9110 section 13.1.1 wants strong comparison where something is changed: a weak tag then
    /// matches nothing.
    private func revisions(
        _ field: String, isStrong: Bool
    ) throws(Problem) -> Precondition.Revisions? {
        let values = fields.values(field)
        guard !values.isEmpty else { return nil }
        var revisions: [Int] = []
        for value in values {
            if value.filter({ $0 != " " && $0 != "\t" }) == "*" { return .any }
            guard let tags = EntityTag.list(value) else {
                throw Problem(
                    .malformedRequest, "\(field) must be a quoted revision or *.",
                    hint: "Quote it: -H '\(field): \"7\"'.")
            }
            revisions += tags.filter { !(isStrong && $0.isWeak) }.compactMap(\.revision)
        }
        return .these(revisions)
    }

    /// The body as JSON.
    func body() throws(Problem) -> JSON {
        do {
            return try JSON(parsing: bytes, limits: limits.json)
        } catch {
            throw Problem(error)
        }
    }

    /// The body as a value for the document, or one that contains such values at this depth.
    func value(levelsDown: Int = 0) throws(Problem) -> JSON {
        var outer = limits.json
        outer.depthMax += levelsDown
        do {
            return try JSON(parsing: bytes, limits: outer)
        } catch {
            guard error.reason == .tooDeep else { throw Problem(error) }
            throw Problem(ChangeError.tooDeep(max: limits.json.depthMax))
                .with("offset", .number(error.offset))
        }
    }

    /// An edit by the name of its form: `patch`, `merge`, or else a whole value.
    func edit(_ form: String, _ value: JSON) throws(Problem) -> ChangeRequest.Edit {
        switch form {
        case "patch":
            do { return .patch(try JSONPatch(value, limits: limits.json)) } catch {
                throw Problem(error)
            }
        case "merge": return .mergePatch(value)
        default: return .value(value)
        }
    }

    /// `reason`: what is wrong, if the media type is known.
    func unsupported(_ types: [String], example: String, _ reason: String? = nil) -> Problem {
        let got =
            reason ?? mediaType.map { "The media type \($0) is not supported" }
            ?? "The media type is missing"
        // The client meant a text that begins like an object as one.
        let isObject = bytes.first { $0 > 0x20 } == UInt8(ascii: "{")
        let isMerge = isObject && types.contains(MediaType.mergePatch)
        let example = isMerge ? MediaType.mergePatch : example
        return Problem(
            .unsupportedMediaType,
            "\(got). Supported: \(types.joined(separator: ", ")).",
            hint: "curl -X \(method.rawValue) -H 'Content-Type: \(example)' --data-binary … "
                + "(without -H, curl sends application/x-www-form-urlencoded)"
        ).withField("Accept-Patch", MediaType.patches.joined(separator: ", "))
    }

    /// `?limit=` of a list.
    func pageLimit(_ limits: Limits) throws(Problem) -> Int {
        try number(
            "limit", in: 1...limits.pageMax, default: min(Limits.pageDefault, limits.pageMax))
    }

    /// A number in the query.
    func number(_ name: String, in range: ClosedRange<Int>, default value: Int) throws(Problem)
        -> Int
    {
        guard let text = query(name) else { return value }
        guard let number = WholeNumber.parse(text), range.contains(number) else {
            throw Problem(
                .malformedRequest,
                "\(name) must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}

extension Call {
    /// A duration in the query, as people write them.
    func duration(_ name: String, in range: ClosedRange<Duration>) throws(Problem) -> Duration? {
        guard let text = query(name) else { return nil }
        guard let duration = HumanDuration.parse(text), range.contains(duration) else {
            let (least, most) = (range.lowerBound, range.upperBound)
            throw Problem(
                .malformedRequest,
                "\(name) must be a duration from \(HumanDuration.text(least)) to "
                    + "\(HumanDuration.text(most)).",
                hint: "Write it like 500ms, 30s or 1m.")
        }
        return duration
    }
}

extension Call {
    /// `?consistency=`: whether what this daemon knows is enough.
    var isLocal: Bool { query("consistency") == "local" }

    /// `?prefix=`: the part of it that the client may read. Named documents are checked one by one
    /// and may be outside it.
    func prefix(besides documents: Set<DocumentID>?) throws(Problem) -> String {
        let prefix = query("prefix") ?? ""
        return documents == nil ? try grant.narrowed(prefix) : prefix
    }

    /// `?documents=`: only such as the client may read; `nil` for all.
    func documents() throws(Problem) -> Set<DocumentID>? {
        guard let text = query("documents") else { return nil }
        var documents: Set<DocumentID> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let id = PercentEncoding.decode(String(name)).flatMap(DocumentsAPI.reachable)
            else {
                throw Problem(
                    .malformedRequest, "documents has an invalid name.",
                    hint:
                        "Separate names by commas: documents=menu,note. Percent-encode each name, "
                        + "then the list: the name a,b is a%252Cb.")
            }
            try checkReach(of: id)
            documents.insert(id)
        }
        guard documents.count <= Limits.feedDocumentsMax else {
            throw Problem(
                .malformedRequest, "documents has at most \(Limits.feedDocumentsMax) names.",
                hint: "Use a common prefix instead.")
        }
        return documents
    }
}
