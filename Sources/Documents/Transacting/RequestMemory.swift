import JSONTree
import Threading

/// The memory that one request about several documents may take: for what it loads, what it
/// prepares, and what it returns.
///
/// A request begins with little, for which it needs no permit. If that is not enough, it lets go of
/// all that it has, waits for a permit for more, and begins again. So no request waits while it
/// holds what another one waits for, and together they take `requestBytesMax` at most.
public final class RequestMemory: Sendable {
    /// What can be held without a permit, and as a part of all: most requests are about little.
    private static let smallBytes = 1 << 20
    private static let smallSharesMax = 64
    /// What the first permit is for, as a part of all: so many such requests run at once.
    private static let sharesMax = 16

    let bytesMax: Int
    private let permit: WorkQueue.Permit?
    /// Whether it has a permit, for which others may wait.
    var isPermitted: Bool { permit != nil }
    /// Begins the request again with more; `nil` if this is all that it can get.
    private let beginMore: (@Sendable () -> Void)?
    /// Whether this is all that it can get.
    var isAll: Bool { beginMore == nil }
    /// Whether it may take more than there is, when it has all of it.
    private let isUnbounded: Bool

    init(
        _ bytesMax: Int, _ permit: WorkQueue.Permit?, isUnbounded: Bool,
        more: (@Sendable () -> Void)?
    ) {
        self.bytesMax = bytesMax
        self.permit = permit
        self.isUnbounded = isUnbounded
        beginMore = more
    }

    /// The sizes that a request begins with, one after the other.
    static func steps(upTo most: Int) -> [Int] {
        [min(smallBytes, most / smallSharesMax), most / sharesMax, most]
    }

    /// What the next state that it reads may take, beside what members bring with them: how large a
    /// state is shows only when it is read.
    public func room(
        beside members: [TransactionRequest.Member] = [], isAlone: Bool
    ) -> StateRoom {
        if isAll, isAlone || isUnbounded { return .endless }
        let held = RequestMemory.weight(of: members)
        return StateRoom(bytes: max(0, bytesMax - held), limit: bytesMax)
    }

    /// Throws if this is more than it may take. What is about one document alone can take more than
    /// there is: it then has all of it, as a request of that document's has.
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

    /// Begins the request again with more memory, if it was refused for the want of it and there is
    /// more. Whoever asked lets go of all that it has.
    public func beginsAgain(after error: ChangeError) -> Bool {
        guard case .tooLargeTogether = error, let beginMore else { return false }
        beginMore()
        return true
    }
}

/// The memory that a state may take that is read. A larger one is not read to its end.
public struct StateRoom: Sendable {
    public static let endless = StateRoom(bytes: .max, limit: .max)

    let bytes: Int
    /// What a refusal names.
    let limit: Int

    /// Throws if a state that is known to take so many bytes does not fit.
    func check(_ bytes: Int) throws(ChangeError) {
        if bytes > self.bytes { throw .tooLargeTogether(max: limit) }
    }
}

extension DocumentStore {
    /// Carries out a request about several documents with memory of its own: calls `body`, and
    /// again with more if `beginsAgain` says so. It is over when the last reference to the memory
    /// is gone.
    ///
    /// `isUnbounded`: it is not refused, however much it takes; it then runs alone.
    public func withMemory(
        of owner: String, isUnbounded: Bool = false,
        _ body: @escaping @Sendable (Result<RequestMemory, ChangeError>) -> Void
    ) {
        withMemory(of: owner, isUnbounded, step: 0, body)
    }

    private func withMemory(
        of owner: String, _ isUnbounded: Bool, step: Int,
        _ body: @escaping @Sendable (Result<RequestMemory, ChangeError>) -> Void
    ) {
        let steps = RequestMemory.steps(upTo: options.requestBytesMax)
        let bytes = steps[step]
        var more: (@Sendable () -> Void)?
        if step + 1 < steps.count {
            more = { [self] in withMemory(of: owner, isUnbounded, step: step + 1, body) }
        }
        let memory: @Sendable (WorkQueue.Permit?) -> RequestMemory = { [more] permit in
            RequestMemory(bytes, permit, isUnbounded: isUnbounded, more: more)
        }
        if step == 0 { return body(.success(memory(nil))) }
        let isTaken = requests.async(of: owner, weight: bytes) { [self] permit in
            body(mayBegin ? .success(memory(permit)) : .failure(DocumentStore.closed))
        }
        if !isTaken { body(.failure(DocumentStore.closed)) }
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
    /// About how many bytes of memory it brings with it, beside the body that it was read from.
    var weight: Int {
        guard case .putBack(let places, _) = self else { return 0 }
        return places.values.reduce(0) { $0 + Document.weight(of: $1) }
    }
}

extension Prepared {
    /// What an entry takes beside the change, until it is stored: its bytes, and the journal's.
    private static let copiesOfEntry = 2
    /// What a byte of edits becomes in a tree at most: values of two bytes.
    private static let bytesForByteMax = 51

    /// About how many bytes it takes beside the document that it was made from, and beside what
    /// `action` brought. What is not edited is shared with these.
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

extension PartHelp {
    /// About how many bytes it takes, for a part that does something.
    func weight(of action: ChangeRequest.Action) -> Int {
        let prepared = early.flatMap { try? $0.result.get() }
        return fetched.memory + ((early?.effects ?? fetched.effects)?.weight ?? 0)
            + (prepared?.weight(of: action) ?? 0)
    }
}
