import AgentTools
import HTTPCalling
import JSONTree

/// One run of an agent: all its changes have one actor below the agent's name, so that they can be
/// distinguished from other runs, and undone.
struct AgentRun {
    private let session: Session
    private let context: ToolContext
    /// Whether it was opened, or the daemon refused that.
    private var isBegun = false
    private var isOpen = false

    /// - Parameter id: eight digits that no other run has.
    init(_ common: CommonOptions, id: String, label: String?) throws(Trouble) {
        session = try Session(common)
        let name = try session.me()
        context = ToolContext(
            name: name, digits: id, run: ToolContext.run(of: name, id), label: label,
            time: { Times.address($0) })
    }

    /// Carries out a call of a tool.
    mutating func result(of request: AgentProtocol.Request) throws(Trouble) -> ToolResult {
        var context = context
        context.digits = AgentRun.digits()
        var step = request.tool.step(request.arguments, context)
        while case .call(let call, let then) = step { step = then(try answer(to: call)) }
        guard case .done(let result) = step else { preconditionFailure("a call has an answer") }
        return result
    }

    /// Opens the run before its first change, if the daemon allows it. It also ends by itself.
    private mutating func open() {
        guard !isBegun, let run = context.run else { return }
        isBegun = true
        isOpen = (try? session.open(run: run, for: AgentRun.openTime, context.label)) != nil
    }

    /// Closes the run, if it was opened.
    func close() {
        if isOpen, let run = context.run { _ = try? session.close(run: run) }
    }

    /// Each edit prolongs it.
    private static let openTime = "10m"

    /// The digits of a run.
    static func digits() -> String { randomDigits(of: 4) }

    private mutating func answer(to call: ToolCall) throws(Trouble) -> ToolAnswer {
        if call.actor != nil, call.actor == context.run { open() }
        let path = call.segments.map { "/" + $0.escaped }.joined()
        let actor = call.actor.map { [(name: "Versiond-Actor", value: $0.escaped)] } ?? []
        // One key, however often a change is sent.
        let key = [(name: "Idempotency-Key", value: "\"\(randomDigits(of: 16))\"")]
        let answer = try session.repeated(
            HTTPCall(
                call.method, target(path, call.query.map { ($0.name, $0.value) }),
                call.fields + actor + (call.method == "GET" ? [] : key),
                body: call.body?.serialized() ?? (call.method == "GET" ? nil : [])))
        guard let body = try? JSON(reading: answer.body) else {
            if answer.status >= 300 { throw Trouble(answer) }
            throw Trouble(
                .unknown, session.noDaemon, hint: "Check the address with versionctl whoami.")
        }
        return ToolAnswer(
            status: answer.status, entityTag: answer.fields["etag"] ?? "", body: body)
    }
}
