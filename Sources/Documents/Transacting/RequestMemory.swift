import DocumentCore
import JSONTree
import Threading

/// The memory that one request about several documents may take: for documents that it loads, parts
/// that it prepares, and its response.
///
/// A request begins with little, for which it needs no permit. If that is not enough, it lets go of
/// all that it has, waits for a permit for more, and begins again. So no request waits while it
/// holds what another one waits for, and together they take `requestBytesMax` at most.
public final class RequestMemory: Sendable {
    /// The bytes held without a permit, and their share of all: most requests are small.
    private static let smallBytes = 1 << 20
    private static let smallSharesMax = 64
    /// The first permit as a share of all, which is the number of such requests that run at once.
    private static let sharesMax = 16

    let bytesMax: Int
    private let permit: WorkQueue.Permit?
    /// Whether it has a permit, for which others may wait.
    var isPermitted: Bool { permit != nil }
    /// Whether this is all that it can get.
    let isAll: Bool
    /// Whether it may take more than there is, when it has all of it.
    private let isUnbounded: Bool

    init(
        _ bytesMax: Int, _ permit: WorkQueue.Permit? = nil, isUnbounded: Bool = false,
        isAll: Bool = false
    ) {
        self.bytesMax = bytesMax
        self.permit = permit
        self.isUnbounded = isUnbounded
        self.isAll = isAll
    }

    /// The sizes that a request gets, one after the other.
    static func steps(upTo most: Int) -> [Int] {
        [min(smallBytes, most / smallSharesMax), most / sharesMax, most]
    }

    /// The limit on the next state to read, without the values of members: a state's size is known
    /// only after reading it.
    public func room(
        beside members: [TransactionRequest.Member] = [], isAlone: Bool
    ) -> StateRoom {
        room(besides: RequestMemory.weight(of: members), isAlone: isAlone)
    }

    func room(besides bytes: Int, isAlone: Bool) -> StateRoom {
        if isAll, isAlone || isUnbounded { return .endless }
        return StateRoom(bytes: max(0, bytesMax - bytes), limit: bytesMax)
    }

    /// Throws if this exceeds the limit. A request about one document alone may exceed the whole
    /// budget: it then holds all of it, as a request of that document does.
    func check(_ bytes: Int, isAlone: Bool = false) throws(ChangeError) {
        if bytes <= bytesMax { return }
        if isAll, isAlone || isUnbounded { return }
        throw .tooLargeTogether(max: bytesMax)
    }

    /// Throws if what members bring with them is more than it may take.
    public func check(
        _ members: [TransactionRequest.Member], isAlone: Bool
    ) throws(ChangeError) {
        try check(RequestMemory.weight(of: members), isAlone: isAlone)
    }

    /// About how many bytes members bring with them.
    private static func weight(of members: [TransactionRequest.Member]) -> Int {
        members.reduce(0) { $0 + $1.request.action.weight }
    }
}

/// The memory that a state may take that is read. A larger one is not read to its end.
public struct StateRoom: Sendable {
    public static let endless = StateRoom(bytes: .max, limit: .max)

    let bytes: Int
    /// The limit that a refusal names.
    let limit: Int

    /// Throws if a state of this size does not fit.
    func check(_ bytes: Int) throws(ChangeError) {
        if bytes > self.bytes { throw .tooLargeTogether(max: limit) }
    }
}

extension DocumentStore {
    /// The memory that a request begins with.
    var firstMemory: RequestMemory {
        RequestMemory(RequestMemory.steps(upTo: options.requestBytesMax)[0])
    }

    /// Carries out a request about several documents with memory of its own: calls `body`, and
    /// again with more if that was too little and there is more. Throws `closed` if the store is
    /// closed while the request waits.
    ///
    /// `isUnbounded`: it is not refused, however much it takes; it then runs alone.
    public func withMemory<Value: Sendable, Fault: MemoryFault>(
        of owner: String, isUnbounded: Bool = false, _ closed: Fault,
        _ body: (RequestMemory) async throws(Fault) -> Value
    ) async throws(Fault) -> Value {
        let steps = RequestMemory.steps(upTo: options.requestBytesMax)
        var step = 0
        while true {
            let permit = step == 0 ? nil : await permit(of: owner, bytes: steps[step])
            guard isOpen else { throw closed }
            let isLast = step == steps.count - 1
            let memory = RequestMemory(
                steps[step], permit, isUnbounded: isUnbounded, isAll: isLast)
            defer { withExtendedLifetime(memory) {} }
            do throws(Fault) { return try await body(memory) } catch {
                if isLast || !error.needsMemory { throw error }
            }
            step += 1
        }
    }

    /// Waits for a permit; `nil` if the store is closed.
    private func permit(of owner: String, bytes: Int) async -> WorkQueue.Permit? {
        await withCheckedContinuation { continuation in
            let isAccepted = requests.async(of: owner, weight: bytes) {
                continuation.resume(returning: $0)
            }
            if !isAccepted { continuation.resume(returning: nil) }
        }
    }
}

/// An error that may be the want of memory.
public protocol MemoryFault: Error {
    var needsMemory: Bool { get }
}

extension Refusal: MemoryFault {
    public var needsMemory: Bool {
        if case .tooLargeTogether = error { true } else { false }
    }
}

// MARK: Weights

extension Outcome {
    /// About how many bytes of memory it takes: the document before it, and what is new.
    var weight: Int {
        let bytes = edits.byteCount
        return Document.weight(of: before) + Prepared.weight(of: tree, madeBy: bytes)
    }
}

extension ChangeRequest.Action {
    /// The approximate bytes of memory that it holds, without the body from which it was read.
    var weight: Int {
        guard case .putBack(let places, _) = self else { return 0 }
        return places.values.reduce(0) { $0 + Document.weight(of: $1) }
    }
}

extension Prepared {
    /// The factor of an entry's memory until it is stored: its bytes, and the journal's.
    private static let copiesOfEntry = 2
    /// The maximal memory of a byte of edits in a tree: values of two bytes.
    private static let bytesForByteMax = 51

    /// The approximate bytes of memory without the document that it was made from, and without the
    /// values of `action`, with which unedited parts are shared.
    func weight(of action: ChangeRequest.Action) -> Int {
        guard let bytes = change?.edits.byteCount else { return 0 }
        let made = action.weight > 0 ? 0 : Prepared.weight(of: tree, madeBy: bytes)
        return Prepared.copiesOfEntry * bytes + made
    }

    /// About how many bytes of a tree are not shared with the one that edits were made on.
    static func weight(of tree: JSON, madeBy bytes: Int) -> Int {
        min(Document.weight(of: tree), bytesForByteMax * bytes)
    }
}

extension [Int: Groundwork] {
    /// About how many bytes members bring with them, and the groundwork for them takes, by their
    /// places.
    func weight(for members: [TransactionRequest.Member]) -> Int {
        members.indices.reduce(0) { $0 + weight(of: members[$1], at: $1) }
    }

    /// The same of one member at its place.
    func weight(of member: TransactionRequest.Member, at index: Int) -> Int {
        let action = member.request.action
        return action.weight + (self[index]?.weight(for: action) ?? 0)
    }
}

extension Groundwork {
    /// About how many bytes it takes, for a part that does something.
    fileprivate func weight(for action: ChangeRequest.Action) -> Int {
        let prepared = early.flatMap { try? $0.result.get() }
        return fetched.memory + effects.weight + (prepared?.weight(of: action) ?? 0)
    }
}
