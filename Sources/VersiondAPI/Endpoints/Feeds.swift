import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import Presence
import VersioningKit

// Changes in order, as they come: a page, a page that waits, or a stream.

extension DocumentsAPI {
    /// `GET …/feed?cursor=`: what came after a revision.
    func feed(_ call: Call, _ id: DocumentID) throws(Problem) {
        let options = try FeedOptions(call)
        let cursor = try options.cursor.map { shown throws(Problem) in
            try call.meaning { numbering throws(ChangeError) in try numbering.revision(shown) }
        }
        store.read(id, includingDeleted: true) { [self] result in
            do throws(Problem) {
                let document = try call.found(result)
                let (head, oldest) = (document.revision, document.oldestRevision)
                let since = cursor ?? options.beginning(head: head, first: oldest - 1)
                guard since >= oldest - 1 else {
                    throw call.problem(.trimmed(oldest: oldest))
                }
                guard since <= head else { throw call.problem(.unknownRevision(since)) }
                let present = try presence(call, options.presence, in: [id], document.settings)
                call.follow(
                    store.follow(id, after: since, head: head), options, from: since,
                    standing(call), present)
            } catch {
                call.refuse(error)
            }
        }
    }

    /// `GET /v1/feed?prefix=&cursor=`: what was committed to any document of a prefix.
    func feed(_ call: Call) throws(Problem) {
        let options = try FeedOptions(call)
        let prefix = try call.prefix(besides: options.documents)
        let cursor = try options.cursor.map { shown throws(Problem) in try call.position(shown) }
        // Another daemon may have given a number that is not known here.
        store.lastSequence(reaching: cursor ?? 0) { [self] head in
            do throws(Problem) {
                let head = try call.found(head)
                let since = cursor ?? options.beginning(head: head, first: 0)
                guard since <= head else {
                    throw Problem.unknownNumber(call.positions.shown(since))
                }
                let present = try presence(
                    call, options.presence, in: options.documents ?? [], DocumentSettings())
                call.follow(
                    store.follow(
                        FeedScope(prefix: prefix, documents: options.documents), after: since,
                        head: head), options, from: since,
                    standing(call, prefix: prefix, options.documents), present)
            } catch {
                call.refuse(error)
            }
        }
    }
}

extension Problem {
    fileprivate static func unknownNumber(_ number: Int) -> Problem {
        Problem(
            .unknownRevision, "The position \(number) does not exist yet.")
    }
}

/// The parameters of a feed.
struct FeedOptions: Sendable {
    enum Shape: Sendable {
        case page
        case lines, events

        var mediaType: String {
            switch self {
            case .page: MediaType.json
            case .lines: MediaType.lines
            case .events: MediaType.events
            }
        }
    }

    let shape: Shape
    let cursor: Int?
    /// How long a page may wait for its first change.
    let wait: Duration?
    let limit: Int
    let heartbeat: Duration
    let speaksText: Bool
    /// Whether patches come as they are stored, for clients that carry edits past each other.
    let isStored: Bool
    /// The feed returns idempotency keys with this prefix, which belong to the client.
    let keyPrefix: String?
    /// Only changes of these documents come; `nil` for all.
    let documents: Set<DocumentID>?
    /// Whether the stream has presence events, and the client that reads it.
    let presence: PresenceQuestion?
    /// How numbers of changes look.
    private let numberings: Numberings?
    /// The documents that the client may know of; `nil`: all.
    private let reach: Reach?

    init(_ call: Call) throws(Problem) {
        let accept = call.fields["accept"] ?? ""
        let isStream = call.method == .get
        shape =
            isStream && accept.contains(Shape.events.mediaType)
            ? .events : isStream && accept.contains(Shape.lines.mediaType) ? .lines : .page
        cursor = try FeedOptions.cursor(call)
        wait = try call.duration("wait", in: .zero...Limits.waitMax)
        limit = try call.number(
            "limit", in: 1...call.limits.pageMax,
            default: min(Limits.pageDefault, call.limits.pageMax))
        heartbeat =
            try call.duration("heartbeat", in: Limits.heartbeat) ?? Limits.heartbeatDefault
        isStored = call.query("patch") == "stored"
        speaksText = isStored || call.preferences.usesTextOperations
        keyPrefix = try FeedOptions.keyPrefix(call)
        documents = try call.documents()
        presence = try PresenceQuestion(call, isStream: shape != .page)
        numberings = call.numberings
        reach = call.limitedReach
        guard wait == nil || cursor != nil else {
            throw Problem(
                .malformedRequest, "wait requires cursor.",
                hint: "Example: GET …/feed?cursor=7&wait=30s")
        }
    }

    /// A browser that comes back says where it was, and that counts more than where it began. An
    /// empty field says nothing: some clients send it with their first request.
    private static func cursor(_ call: Call) throws(Problem) -> Int? {
        let last = call.fields["last-event-id"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = last ?? call.query("cursor") else { return nil }
        guard let number = Int(text), number >= -1, String(number) == text else {
            throw Problem(
                .malformedRequest, "cursor must be a position that a feed returned.",
                hint: "Use the `next` of a page, or -1 for all changes.")
        }
        return number
    }

    private static func keyPrefix(_ call: Call) throws(Problem) -> String? {
        guard let text = call.query("keyPrefix") else { return nil }
        guard (Limits.keyPrefixBytesMin...Limits.tokenBytesMax).contains(text.utf8.count) else {
            throw Problem(
                .malformedRequest,
                "keyPrefix has \(Limits.keyPrefixBytesMin) to \(Limits.tokenBytesMax) bytes.",
                hint: "Begin your idempotency keys with a random text.")
        }
        return text
    }

    /// Pages begin at the beginning, streams at what comes next.
    func beginning(head: Int, first: Int) -> Int { shape == .page ? first : head }

    /// One item as this client reads it, in a page.
    func bytes(of item: FeedItem, in topic: FeedTopic) -> [UInt8] {
        let own = item.key(beginningWith: keyPrefix)
        return item.text(key(own, item, topic)) { bytes($0, own, in: topic) }
    }

    /// The same in a stream; `nil` if the memory does not suffice now.
    func text(
        of item: FeedItem, _ subscription: FeedSubscription,
        orWake wake: @escaping @Sendable () -> Void
    ) -> FeedText? {
        let topic = subscription.topic
        let own = item.key(beginningWith: keyPrefix)
        return subscription.text(of: item, key(own, item, topic), orWake: wake) {
            bytes($0, own, in: topic)
        }
    }

    /// The same for all clients with equal parameters; `nil` for the text of one client, with its
    /// idempotency key, or without the documents that it may not know of.
    private func key(_ own: Name?, _ item: FeedItem, _ topic: FeedTopic) -> Int? {
        if own != nil || reach != nil && item.namesOthers { return nil }
        let form =
            switch shape {
            case .page: 0
            case .lines: 1
            case .events: 2
            }
        return form | (speaksText ? 4 : 0) | (topic == .all ? 8 : 0) | (isStored ? 16 : 0)
    }

    private func bytes(_ item: FeedItem, _ own: Name?, in topic: FeedTopic) -> [UInt8] {
        let text = json(item, own, in: topic)
        switch shape {
        case .page: return text
        case .lines: return text + [0x0a]
        case .events:
            var id: Int?
            if case .change = item.event {
                id = topic == .all ? item.sequence : item.document.revision
                id = id.map { shown($0, in: topic) }
            }
            return FeedOptions.event(item.name, id: id, text)
        }
    }

    /// A position in a feed as clients see it.
    func shown(_ position: Int, in topic: FeedTopic) -> Int {
        switch topic {
        case .document(let id): numberings?.shown(id).shown(position) ?? position
        case .all: numberings?.positions.shown(position) ?? position
        }
    }

    /// An error as clients see it.
    func problem(_ error: ChangeError, in topic: FeedTopic) -> Problem {
        guard case .document(let id) = topic, let numberings else { return Problem(error) }
        return Problem(error.shown(in: numberings.shown(id)))
    }

    /// Where the client is, when there is nothing else to say.
    func bookmark(_ position: Int, in topic: FeedTopic) -> [UInt8] {
        let position = shown(position, in: topic)
        var text = JSONText()
        text.object { text in
            text.member("event", "bookmark")
            text.member(topic == .all ? "cursor" : "revision", position)
        }
        return shape == .events
            ? FeedOptions.event("bookmark", id: position, text.bytes) : text.line()
    }

    /// The clients that joined a document or left it.
    func bytes(of change: PresenceChange) -> [UInt8] {
        var text = JSONText()
        text.object { $0.describe(change) }
        return shape == .events
            ? FeedOptions.event("presence", id: nil, text.bytes) : text.line()
    }

    /// The last message of a stream that must end.
    func failure(_ problem: Problem) -> [UInt8] {
        let text = problem.json.dropLast()
        return shape == .events ? FeedOptions.event("error", id: nil, Array(text)) : text + [0x0a]
    }

    private static func event(_ name: String, id: Int?, _ text: [UInt8]) -> [UInt8] {
        var bytes = Array("event: \(name)\n".utf8)
        if let id { bytes += Array("id: \(id)\n".utf8) }
        return bytes + Array("data: ".utf8) + text + [0x0a, 0x0a]
    }

    private func json(_ item: FeedItem, _ key: Name?, in topic: FeedTopic) -> [UInt8] {
        var text = JSONText(numberings, for: reach)
        text.object { text in
            text.member("event", item.name)
            switch item.event {
            case .change(let made, _):
                if topic == .all, let cursor = item.sequence { text.position("cursor", cursor) }
                // A committed patch fits its tree; if memory ever were wrong, text operations need
                // no tree.
                let edits =
                    isStored ? made.change.edits : made.change.edits.shortened(on: made.before)
                let strict = speaksText ? nil : try? edits.operations(on: made.before)
                let patch = (strict ?? edits.textOperations).serialized()
                text.describe(made.change, patch: patch, made.document)
                if isStored, let since = made.change.wonSince { text.revision("wonSince", since) }
                if let key { text.member("key", key) }
            case .seal(let document):
                text.document(document.id)
                text.revision("revision", document.revision)
                text.revision("version", document.history.currentID)
                text.describe(document)
            }
        }
        return text.bytes
    }
}

extension FeedItem {
    /// Whether its change names what became of parts in other documents.
    fileprivate var namesOthers: Bool {
        if case .change(let made, _) = event { !made.change.elsewhere.isEmpty } else { false }
    }

    /// The idempotency key of the request that made it, if it begins so.
    fileprivate func key(beginningWith prefix: String?) -> Name? {
        guard let prefix, case .change(let made, _) = event, let key = made.change.token?.key,
            key.text.utf8.starts(with: prefix.utf8)
        else { return nil }
        return key
    }

    fileprivate var name: String {
        if case .seal = event { "seal" } else { "change" }
    }
}
