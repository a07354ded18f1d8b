import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import Presence

// The clients in a document and their states, which no journal stores.

extension DocumentsAPI {
    /// `PUT …/presence/{client}?ttl=30s&revision=41`: the body is what others see.
    func setPresence(_ call: Call, _ id: DocumentID, _ client: String) throws(Problem) {
        let client = try DocumentsAPI.client(client)
        let state = try call.presenceState()
        let ttl = try call.duration("ttl", in: Limits.presence) ?? Limits.presenceDefault
        let revision = try call.revision()
        let actor = try call.actor()
        withPresence(call, id) { [presence] document throws(PresenceError) in
            try presence.set(
                id, client, actor: actor, owner: Name(call.grant.name), state: state,
                revision: revision, milliseconds: ttl.milliseconds, life: document.birth)
            return HTTPResponse(status: 204, fields: [])
        }
    }

    /// `DELETE …/presence/{client}`
    func endPresence(_ call: Call, _ id: DocumentID, _ client: String) throws(Problem) {
        let client = try DocumentsAPI.client(client)
        withPresence(call, id, isLeaving: true) { [presence] _ throws(PresenceError) in
            try presence.remove(id, client, owner: Name(call.grant.name))
            return HTTPResponse(status: 204, fields: [])
        }
    }

    /// `GET …/presence`
    func listPresence(_ call: Call, _ id: DocumentID) throws(Problem) {
        withPresence(call, id) { [presence] document in
            let all = presence.all(in: id, life: document.birth)
            var text = call.jsonText()
            text.object { text in
                text.document(id)
                text.name("clients")
                text.array(all) { text, present in
                    text.object { text in
                        text.describe(present)
                        let since = Timestamp(milliseconds: present.since)
                        text.member("time", RFC3339.text(since))
                    }
                }
            }
            return call.json(text)
        }
    }

    /// Answers about a document that is there, and lets others see who is in it.
    private func withPresence(
        _ call: Call, _ id: DocumentID, isLeaving: Bool = false,
        _ body: @escaping @Sendable (Document) throws(PresenceError) -> HTTPResponse
    ) {
        store.read(id, isLocal: true) { result in
            call.respond { () throws(Problem) in
                let document = try call.found(result)
                guard document.settings.showsPresence || isLeaving else {
                    throw Problem.noPresence()
                }
                do throws(PresenceError) { return try body(document) } catch {
                    throw Problem(error)
                }
            }
        }
    }

    /// The present clients, for a stream that asks for them.
    func presence(
        _ call: Call, _ question: PresenceQuestion?, in documents: Set<DocumentID>,
        _ settings: DocumentSettings
    ) throws(Problem) -> PresenceSubscription? {
        guard let question else { return nil }
        guard settings.showsPresence else { throw Problem.noPresence() }
        do throws(PresenceError) {
            return try presence.follow(
                documents, keeping: question.client, owner: Name(call.grant.name))
        } catch {
            throw Problem(error)
        }
    }

    /// A client's name for itself, which other clients should not guess.
    static func client(_ text: String) throws(Problem) -> Name {
        let isReadable = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x5f: true
            default: false
            }
        }
        guard isReadable, (8...64).contains(text.utf8.count) else {
            throw Problem(
                .malformedRequest,
                "A client's name has 8 to 64 letters, digits, hyphens and underscores.",
                hint: "Generate a random name for each page: crypto.randomUUID()")
        }
        return Name(text)
    }
}

/// The presence events of a stream: `presence=true`, or the name of its own client.
struct PresenceQuestion: Sendable {
    let client: Name?

    init?(_ call: Call, isStream: Bool) throws(Problem) {
        guard let text = call.query("presence"), text != "false" else { return nil }
        guard isStream, call.match?.document != nil || call.query("documents") != nil else {
            throw Problem(
                .malformedRequest,
                "presence requires a stream of one document, or of the listed documents.",
                hint:
                    "curl -N -H 'Accept: application/x-ndjson' '…/menu/feed?presence=true'"
            )
        }
        client = text == "true" ? nil : try DocumentsAPI.client(text)
    }
}

extension Call {
    /// The state that other clients see: any JSON value.
    fileprivate func presenceState() throws(Problem) -> [UInt8] {
        let length = bytes.count
        guard length <= Present.stateBytesMax else {
            throw Problem(HTTPFault.bodyTooLarge(max: Present.stateBytesMax))
        }
        guard length > 0 else {
            throw Problem(
                .malformedJSON, "The body is missing.",
                hint: "Send the state of the client, for example {}.")
        }
        guard mediaType == MediaType.json else {
            throw unsupported([MediaType.json], example: MediaType.json)
        }
        let state = try body()
        guard state.kind != .null else {
            throw Problem(
                .malformedRequest, "The state must not be null.", hint: "Send DELETE to leave.")
        }
        return state.serialized()
    }

    fileprivate func revision() throws(Problem) -> Int? {
        guard let text = query("revision") else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw Problem(.malformedRequest, "revision must be a number from 0.")
        }
        return number
    }
}

extension Problem {
    init(_ error: PresenceError) {
        switch error {
        case .foreign(let client):
            self.init(
                .foreignPresence, "The client \(client) belongs to another actor.")
        case .tooManyClients(let own):
            self.init(
                .tooManyPresent,
                "The document has \(own) clients of this token, of at most "
                    + "\(PresenceHub.clientsMax) in total.")
        case .tooManyBytes(let own):
            self.init(
                .tooManyPresent,
                "The states of this token take \(own) bytes, of at most "
                    + "\(PresenceHub.bytesMax) in total.")
        }
    }

    static func noPresence() -> Problem {
        Problem(.noPresence, "The setting presence is false.")
    }
}

/// A client in a presence event.
private enum Seen {
    case here(Present)
    case gone(Name)
}

extension JSONText {
    /// A present client, in lists and feeds.
    mutating func describe(_ present: Present) {
        member("client", present.client)
        member("actor", present.actor)
        member("state", raw: present.state)
        if let revision = present.revision { member("revision", revision) }
    }

    mutating func describe(_ change: PresenceChange) {
        member("event", "presence")
        document(change.document)
        name("clients")
        let here = change.clients.map { Seen.here($0) }
        array(here + change.gone.map { Seen.gone($0) }) { text, one in
            text.object { text in
                switch one {
                case .here(let present): text.describe(present)
                case .gone(let client):
                    text.member("client", client)
                    text.member("state", .null)
                }
            }
        }
        if change.isAll { member("all", true) }
    }
}
