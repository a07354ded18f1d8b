public import JSONTree
public import Observation

/// A document of a daemon as a model of this program: edited in place, stored and shared.
///
/// A new value is shown at once and sent in the background; others' edits arrive in between, and
/// both are merged. Each edit is stored, or pending, or reported by `dropped` with the reason.
@MainActor @Observable public final class SharedDocument<Model: Codable & Sendable> {
    @ObservationIgnored private let session: DocumentSession
    @ObservationIgnored private let coder: ModelCoder
    /// The shown model.
    private var shown: Model
    /// The encoded form of that: the base of comparisons.
    @ObservationIgnored private var base: JSON
    /// The state, and whether the document can be read as the model.
    public private(set) var state = DocumentState.loading
    /// Whether there is something to undo, and something to redo.
    public private(set) var canUndo = false
    public private(set) var canRedo = false
    /// The edits that are not stored yet, as operations.
    public var pending: JSONPatch {
        access(keyPath: \.state)
        return session.replica.pending.flatMap(\.carried).textOperations
    }
    @ObservationIgnored private var unreadable: ModelError?
    /// The model that an edit is about to show, and its encoded form.
    @ObservationIgnored private var edited: (model: Model, known: JSON)?
    @ObservationIgnored private let changing = Listeners<SharedChange>()
    @ObservationIgnored private let dropping = Listeners<DroppedEdits>()
    @ObservationIgnored private var savers: [CheckedContinuation<Void, Never>] = []

    /// Opens a document, and waits until it is read.
    ///
    /// If there is none, it is created with `initial`. It throws a `DaemonProblem` if there is no
    /// such document and no `initial`, or the token does not permit to read it, and a `ModelError`
    /// if its value does not fit the model. While the daemon is out of reach, it waits.
    public init(
        _ name: String, on connection: Connection, initial: Model? = nil,
        _ options: SharingOptions = SharingOptions()
    ) async throws {
        coder = options.coder
        let value = try initial.map { model throws(ModelError) in try options.coder.encode(model) }
        session = DocumentSession(connection, name, options, initial: value)
        let session = session
        try await withTaskCancellationHandler {
            try await session.begin()
        } onCancel: {
            Task { @MainActor in session.end() }
        }
        do throws(ModelError) {
            let model = try options.coder.decode(Model.self, from: session.replica.value)
            base = try options.coder.encode(model)
            shown = model
        } catch {
            session.end()
            throw error
        }
        session.observer = self
        stateChanged()
    }

    isolated deinit { session.end() }

    // MARK: The value

    /// The model as it is shown. Set it, or change a part of it in place.
    ///
    /// The edits are found by comparing: O(size). Elements are identified by `identityNames` of the
    /// coder. Where `edit` would throw, the value stays, and `dropped` reports the reason.
    public var value: Model {
        get { shown }
        set {
            do { try edit { $0 = newValue } } catch {
                let problem =
                    error as? DaemonProblem
                    ?? DaemonProblem(code: "no-json", detail: "\(error)")
                dropping.send(DroppedEdits(reason: problem, operations: JSONPatch([])))
            }
        }
    }

    /// Edits the model. Edits with the same `group` are one step of undo; otherwise those without
    /// a pause between them are. `label` is shown in the history. It throws a `ModelError` if the
    /// model cannot be stored as JSON or the document cannot be read as one, and a `DaemonProblem`
    /// if the document is closed or deleted.
    public func edit(
        label: String? = nil, group: String? = nil, _ change: (inout Model) -> Void
    ) throws {
        if let unreadable { throw unreadable }
        var model = shown
        change(&model)
        let known = try coder.encode(model)
        let operations = try coder.operations(from: base, to: known)
        edited = (model, known)
        defer { edited = nil }
        try session.edit(operations, label: label, group: group)
    }

    /// Edits the document by operations, which may be about members that the model does not know.
    public func apply(_ operations: JSONPatch, label: String? = nil) throws {
        try session.edit(operations, label: label, group: nil)
    }

    // MARK: The history

    /// Undoes this actor's newest step; everyone's, if no actor is named. It throws a
    /// `DaemonProblem`.
    public func undo() async throws(DaemonProblem) { try await session.undo() }

    /// Redoes the newest step that was undone. It throws a `DaemonProblem`.
    public func redo() async throws(DaemonProblem) { try await session.redo() }

    // MARK: Sequences

    /// Changes of the shown value, from now on.
    public var changes: AsyncStream<SharedChange> { changing.stream }

    /// Edits that were shown and cannot be stored, from now on. `apply` their operations to do them
    /// again.
    public var dropped: AsyncStream<DroppedEdits> { dropping.stream }

    // MARK: Ending

    /// Waits until everything is stored, or the document is closed.
    public func flush() async {
        while !session.replica.pending.isEmpty, !session.isEnded {
            await withCheckedContinuation { savers.append($0) }
        }
    }

    /// Tries at once what waits, as with another token.
    public func retry() {
        session.wake()
        session.run()
    }

    /// Ends the connection to the document. Returns what is not stored.
    @discardableResult public func close() -> JSONPatch {
        let left = pending
        session.end()
        changing.finish()
        dropping.finish()
        return left
    }
}

extension SharedDocument: SessionObserver {
    func shown(_ change: SharedChange) {
        defer { changing.send(change) }
        // A change that was confirmed as it is shown.
        if change.operations.operations.isEmpty { return }
        if let edited { return (shown, base) = edited }
        do throws(ModelError) {
            let model = try coder.decode(Model.self, from: session.replica.value)
            base = try coder.encode(model)
            shown = model
            unreadable = nil
        } catch {
            unreadable = error
        }
    }

    func stateChanged() {
        var now = session.state
        if let unreadable, now != .closed, now != .deleted { now = .unreadable(unreadable) }
        if state != now { state = now }
        if canUndo != session.canUndo { canUndo = session.canUndo }
        if canRedo != session.canRedo { canRedo = session.canRedo }
        guard session.replica.pending.isEmpty || session.isEnded else { return }
        let done = savers
        savers = []
        for saver in done { saver.resume() }
    }

    func dropped(_ edits: DroppedEdits) {
        dropping.send(edits)
    }
}

/// Those who listen to something.
@MainActor private final class Listeners<Element: Sendable> {
    private var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
    private var count = 0

    var stream: AsyncStream<Element> {
        count += 1
        let id = count
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
        continuations[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.continuations[id] = nil }
        }
        return stream
    }

    func send(_ element: Element) {
        for continuation in continuations.values { continuation.yield(element) }
    }

    func finish() {
        for continuation in continuations.values { continuation.finish() }
    }
}
