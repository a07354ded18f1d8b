import HTTPCalling
public import JSONTree

/// The reports of a session.
@MainActor protocol SessionObserver: AnyObject {
    /// Something else is shown.
    func shown(_ change: SharedChange)
    func stateChanged()
    func dropped(_ edits: DroppedEdits)
}

/// How a document is shared.
public struct SharingOptions: Sendable {
    /// Whose edit stays where two cannot both be done.
    public var conflict = ConflictPolicy.mine
    /// How long nothing is edited before the next step of undo begins.
    public var debounce = Duration.seconds(1)
    /// The coder between the model and the document.
    public var coder = ModelCoder()

    public init() {}
}

/// One open document: the replica, the stream that keeps it up to date, and the requests for its
/// pending edits.
///
/// Two tasks run while it is open: one follows, the other sends, one request at a time. Both work
/// on the main actor, so between two waits each sees a state that the other has left.
@MainActor final class DocumentSession {
    let connection: Connection
    /// The name of now: a document may be renamed.
    var name: String
    /// The value of a document that does not exist yet.
    let initial: JSON?
    var replica: Replica
    weak var observer: (any SessionObserver)?
    /// Prefixes all idempotency keys, so that the feed says which changes are these.
    let keys: String
    private var keyCount = 0
    var groups: EditGroups
    var isEnded = false
    /// The actor of undo; empty: everyone's.
    var actor = ""
    var availability = Availability()

    // Following.
    var isLive = false
    var isDeleted = false
    var mustLoad = false
    /// The reason why the document cannot be read.
    var refusal: DaemonProblem?
    var opening: CheckedContinuation<DaemonProblem?, Never>?
    private var following: Task<Void, Never>?

    // Sending.
    var isReachable = true
    /// The reason why edits wait.
    var obstacle: DaemonProblem?
    var pause = Pause()
    var rebases: (step: Int, count: Int) = (0, 0)
    var commands: [String: CheckedContinuation<DaemonProblem?, Never>] = [:]
    private var sending: Task<Void, Never>?

    /// Pauses and waits that an event may end early.
    private var waits: [Int: Task<Void, Never>] = [:]
    private var waitCount = 0

    init(_ connection: Connection, _ name: String, _ options: SharingOptions, initial: JSON?) {
        self.connection = connection
        self.name = name
        self.initial = initial
        replica = Replica(
            policy: options.conflict, identityNames: options.coder.identityNames)
        let digits = String(UInt64.random(in: .min ... .max), radix: 36)
        keys = String(repeating: "0", count: 13 - digits.count) + digits + "."
        groups = EditGroups(prefix: keys + "g", pause: options.debounce)
    }

    var path: String { "/v1/documents/" + name.escaped }

    func newKey() -> String {
        keyCount += 1
        return keys + String(keyCount)
    }

    // MARK: Begin and end

    /// Opens the document, however long the daemon is out of reach.
    func begin() async throws(DaemonProblem) {
        let problem = await withCheckedContinuation { continuation in
            opening = continuation
            following = Task { await follow() }
        }
        if let problem {
            end()
            throw problem
        }
    }

    func end() {
        isEnded = true
        following?.cancel()
        wake()
        answerOpening(.closed)
        for waiter in commands.values { waiter.resume(returning: .closed) }
        commands = [:]
        stateChanged()
    }

    func answerOpening(_ problem: DaemonProblem?) {
        opening?.resume(returning: problem)
        opening = nil
    }

    /// Sends what there is, unless that is being done.
    func run() {
        guard sending == nil, replica.isLoaded, !isEnded else { return }
        sending = Task {
            // Edits of the same moment are sent together.
            await Task.yield()
            await sendAll()
            sending = nil
        }
    }

    // MARK: Waiting

    /// Waits, unless something happens that may end the wait.
    func rest(_ duration: Duration) async {
        waitCount += 1
        let (id, time) = (waitCount, connection.time)
        let wait = Task { await time.sleep(duration) }
        waits[id] = wait
        if isEnded { wait.cancel() }
        await wait.value
        waits[id] = nil
    }

    /// Ends all waits: something has happened.
    func wake() {
        for wait in waits.values { wait.cancel() }
    }

    // MARK: State

    /// Whether edits have to wait for something that is not here.
    var isStuck: Bool { !isReachable || obstacle != nil }

    var problem: DaemonProblem? { obstacle ?? refusal }

    var state: DocumentState {
        if isEnded { return .closed }
        if isDeleted { return .deleted }
        if let problem, problem.isRefusal { return .refused(problem) }
        if !replica.isLoaded {
            if let refusal, [404, 410].contains(refusal.status) { return .missing }
            return refusal == nil ? .loading : .offline
        }
        if !isReachable { return .offline }
        if !replica.pending.isEmpty { return .saving }
        return isLive ? .live : .offline
    }

    func stateChanged() {
        observer?.stateChanged()
    }

    /// Something else is shown.
    func show(_ shown: Shown, _ item: JSON? = nil) {
        if !shown.edits.isEmpty || shown.confirmed != nil || shown.before == nil {
            let change = item?["change"]
            observer?.shown(
                SharedChange(
                    isOwn: shown.isOwn || shown.confirmed != nil,
                    actor: change?["actor"]?.string, label: change?["label"]?.string,
                    revision: replica.revision, operations: shown.edits.textOperations))
        }
        stateChanged()
    }

    /// Reports edits that are lost.
    func drop(_ operations: JSONPatch, _ reason: DaemonProblem) {
        if operations.operations.isEmpty { return }
        observer?.dropped(DroppedEdits(reason: reason, operations: operations))
    }

    /// The document does not exist any more, nor does what waiting edits were made on.
    func gone(_ problem: DaemonProblem) {
        refusal = problem
        let lost = replica.pending.flatMap(\.carried).textOperations
        for waiter in commands.values { waiter.resume(returning: problem) }
        commands = [:]
        if replica.isLoaded { show(replica.giveUp()) }
        drop(lost, problem)
        stateChanged()
    }
}
