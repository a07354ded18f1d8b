import AccessControl
import AgentTools
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import Synchronization

// Agents, by the Model Context Protocol: `AgentTools` knows what messages mean and which calls a
// tool makes. Here these go through the table of endpoints, with the grant of the client.

extension DocumentsAPI {
    /// The levels of a message around a value in it: `params`, `arguments` and the value's own, and
    /// those of a patch.
    private static let levels = 3 + JSONPatch.levels

    /// `POST /mcp`: one message, one response.
    func answerAgent(_ call: Call) throws(Problem) {
        guard call.mediaType == MediaType.json else {
            throw call.unsupported([MediaType.json], example: MediaType.json)
        }
        let fields = AgentProtocol.HeaderFields { call.fields.values($0) }
        let context = try context(of: call, fields)
        let message: JSON
        do throws(Problem) { message = try call.value(levelsDown: DocumentsAPI.levels) } catch {
            return call.send(call.json(AgentProtocol.unreadable(error.detail), status: 400))
        }
        let mayEdit = call.grant.rights.contains(.propose)
        let server = AgentProtocol(
            program: ("versiond", identity.version),
            tools: mayEdit ? AgentTool.all : AgentTool.all.filter(\.isReading), isForAll: false)
        switch server.reaction(to: message, fields) {
        case .response(let response): send(response, to: call)
        case .call(let request):
            carryOut(
                request.tool.step(request.arguments, context), Agent(call: call, request: request))
        }
    }

    /// A client that waits for the result of a tool.
    fileprivate struct Agent: Sendable {
        let call: Call
        let request: AgentProtocol.Request
        /// How many calls the tool has made.
        var calls = 0
        /// Whether one of them has changed something.
        var hasChanged = false
    }

    private func send(_ response: AgentProtocol.Response, to call: Call) {
        guard let message = response.message else {
            return call.send(HTTPResponse(status: response.status))
        }
        let session =
            response.beginsSession
            ? [(name: AgentProtocol.sessionField, value: DocumentsAPI.digits(16))] : []
        call.send(call.json(message, status: response.status, fields: session))
    }

    // MARK: The client

    /// Whose edits they are: those of the run that a field names or, for older clients, that is
    /// named for the session.
    private func context(
        of call: Call, _ fields: AgentProtocol.HeaderFields
    ) throws(Problem) -> ToolContext {
        let actor = try call.actor().text
        let name = actor.isEmpty ? "agent" : actor
        let isRun =
            call.fields["versiond-actor"] != nil && actor.contains("/") && actor != call.grant.name
        let run = isRun ? actor : fields.digits.map { ToolContext.run(of: name, $0) }
        return ToolContext(
            name: name, owner: call.grant.name, digits: DocumentsAPI.digits(8), run: run,
            time: { [store] in
                DocumentsAPI.time($0, now: store.now())
            })
    }

    private static func digits(_ count: Int) -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<count).map { _ in digits[Int.random(in: 0..<16)] })
    }

    private static let midnight = "T" + "00:00:00Z"

    /// A time, a day, or an age, as the API takes it.
    private static func time(_ text: String, now: Timestamp) -> String? {
        let times = [text, text + midnight]
        if let time = times.first(where: { RFC3339.parse($0) != nil }) { return time }
        guard let age = HumanDuration.parse(text), age.milliseconds <= now.milliseconds else {
            return nil
        }
        return RFC3339.text(Timestamp(milliseconds: now.milliseconds - age.milliseconds))
    }

    // MARK: Calls of tools

    private func carryOut(_ step: ToolStep, _ agent: Agent) {
        switch step {
        case .done(let result): finish(result, agent)
        case .call(let next, let then):
            let responder = ToolResponder(client: agent.call.responder) { [self] response in
                // Not on the commit thread: a response may be large.
                let isAccepted = store.resume { [self] in
                    proceed(after: next, with: response(), agent, then)
                }
                if !isAccepted { agent.call.refuse(Problem(HTTPFault.stopping)) }
            }
            do throws(Problem) { try begin(next, for: agent, responder) } catch {
                let response = error.response()
                responder.send(response)
            }
        }
    }

    private func proceed(
        after call: ToolCall, with response: HTTPResponse, _ agent: Agent,
        _ then: (ToolAnswer) -> ToolStep
    ) {
        var agent = agent
        agent.calls += 1
        let isDryRun = call.query.contains { $0.name == "dryRun" }
        if call.method != "GET", !isDryRun, response.status < 300 { agent.hasChanged = true }
        // A result that is too large is not read: that would take many times its memory.
        guard response.body.count <= Limits.agentResultBytesMax else {
            return finishWithout(resultOf: response.body.count, agent)
        }
        carryOut(then(DocumentsAPI.answer(response)), agent)
    }

    /// Begins a call as if the client had sent it.
    private func begin(
        _ next: ToolCall, for agent: Agent, _ responder: ToolResponder
    ) throws(Problem) {
        let call = agent.call
        let head = try DocumentsAPI.head(of: next, for: agent)
        let match = try Endpoint.router.match(head.target.segments)
        guard let endpoint = match.path.endpoint(head.method) else {
            throw Router.unknown(head.target.segments)
        }
        try permit(call.grant, endpoint, match.document)
        var inner = Call(
            HTTPRequest(head: head, body: next.body?.serialized() ?? []), responder, limits,
            observer, began: observer?.now() ?? .zero, match, call.grant,
            numberings: store.numberings)
        inner.isInBackground = call.isInBackground
        inner.permit = call.permit
        do throws(Problem) { try carryOut(inner, endpoint, match) } catch { inner.refuse(error) }
    }

    private static func head(
        of next: ToolCall, for agent: Agent
    ) throws(Problem) -> HTTPRequestHead {
        let call = agent.call
        let path = next.segments.map { "/" + PercentEncoding.encode($0) }.joined()
        let query = next.query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }
        let text = query.isEmpty ? path : path + "?" + query.joined(separator: "&")
        let target: HTTPTarget
        do throws(HTTPFault) { target = try HTTPTarget(parsing: Array(text.utf8)) } catch {
            throw Problem(error)
        }
        var fields = HTTPFields()
        for (name, value) in next.fields { fields.append(name.lowercased(), value) }
        if let actor = next.actor {
            fields.append("versiond-actor", PercentEncoding.encode(actor))
        }
        for name in ["versiond-prompt-by", "traceparent"] {
            if let value = call.fields[name] { fields.append(name, value) }
        }
        // The changes of a tool are requests of their own, and the client repeats all of them.
        if next.method != "GET", let key = call.fields["idempotency-key"] {
            fields.append("idempotency-key", "\(key)/\(agent.calls)")
        }
        // The log has the calls of a tool under the name of the request.
        fields.append("x-request-id", call.requestID)
        return HTTPRequestHead(
            method: HTTPMethod(rawValue: next.method) ?? .get, target: target, fields: fields,
            peer: call.head.peer)
    }

    private static func answer(_ response: HTTPResponse) -> ToolAnswer {
        let tag = response.fields.first { $0.name == "ETag" }?.value
        let body = try? JSON(parsing: response.body, limits: .stored)
        return ToolAnswer(status: response.status, entityTag: tag ?? "", body: body ?? .null)
    }

    private func finish(_ result: ToolResult, _ agent: Agent) {
        let bytes = agent.request.answer(result).serialized()
        guard bytes.count > Limits.agentResultBytesMax else {
            return agent.call.send(agent.call.json(bytes))
        }
        finishWithout(resultOf: bytes.count, agent)
    }

    /// Responds without a result that is too large.
    private func finishWithout(resultOf count: Int, _ agent: Agent) {
        let sentence =
            "The result has \(count) bytes; at most \(Limits.agentResultBytesMax) are returned."
        let hint = "Read a part of the document: name its place as path."
        let result: ToolResult =
            agent.hasChanged
            ? .done(["hint": JSON("The change was carried out. \(sentence) \(hint)")])
            : .failed("\(sentence)\nhint: \(hint)")
        agent.call.send(agent.call.json(agent.request.answer(result).serialized()))
    }
}

/// Takes the response to a call of a tool.
private final class ToolResponder: HTTPResponder {
    private let client: any HTTPResponder
    /// Takes what makes the response.
    private let take: @Sendable (@escaping @Sendable () -> HTTPResponse) -> Void
    private let isTaken = Atomic(false)

    init(
        client: any HTTPResponder,
        take: @escaping @Sendable (@escaping @Sendable () -> HTTPResponse) -> Void
    ) {
        (self.client, self.take) = (client, take)
    }

    var hasGone: Bool { client.hasGone }

    func send(_ response: HTTPResponse) { send { response } }
    func send(_ make: @escaping @Sendable () -> HTTPResponse) {
        let wasTaken = isTaken.exchange(true, ordering: .acquiringAndReleasing)
        if !wasTaken { take(make) }
    }

    /// No tool follows a feed.
    func stream(_ head: HTTPResponse, from source: any HTTPStreamSource) {
        source.end()
        send(head)
    }

    func remind(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Bool {
        client.remind(after: delay, body)
    }
}
