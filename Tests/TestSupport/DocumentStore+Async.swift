import Documents
import JSONTree
import Journaling
public import Naming
import VersioningKit

/// A wall clock that tests move.
public final class ManualTime: Sendable {
    private let state = TestLock(0)

    public init(milliseconds: Int = 1_000_000) {
        state.withLock { $0 = milliseconds }
    }

    public var now: Timestamp { Timestamp(milliseconds: state.withLock { $0 }) }

    public func set(milliseconds: Int) {
        state.withLock { $0 = milliseconds }
    }

    public func advance(by milliseconds: Int) {
        state.withLock { $0 += milliseconds }
    }
}

extension Timestamp {
    public func advanced(by milliseconds: Int) -> Timestamp {
        Timestamp(milliseconds: self.milliseconds + milliseconds)
    }
}

extension DocumentStore {
    /// `change`, waited for.
    public func change(_ id: DocumentID, _ request: ChangeRequest) async throws(ChangeError)
        -> Outcome
    {
        try await withCheckedContinuation { continuation in
            change(id, request) { continuation.resume(returning: $0.mapError(\.error)) }
        }.get()
    }

    /// `status`, waited for.
    public func status(_ id: DocumentID) async throws(ChangeError) -> DocumentStatus {
        try await withCheckedContinuation { continuation in
            status(id, isLocal: false) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The document as it was at a revision.
    public func document(_ id: DocumentID, at revision: Int) async throws(ChangeError) -> Document {
        try await past(of: id).past.document(at: revision)
    }

    /// All changes, as long as they are few.
    public func changes(of id: DocumentID) async throws(ChangeError) -> [Change] {
        let head = try await read(id).revision
        return try await past(of: id).past.changes(upTo: head, limit: head + 1)
    }
}

extension FeedSubscription {
    /// The positions that a follower gets until it reaches `last`.
    public func positions(upTo last: Int) throws -> [Int] {
        var found: [Int] = []
        try until {
            if case .items(let items) = next({}) {
                found += items.compactMap { $0.position(in: topic) }
            }
            return found.contains { $0 >= last }
        }
        return found
    }
}

extension ChangeRequest {
    public static func append(_ value: JSON, tag: Name? = nil, actor: Name = "")
        -> ChangeRequest
    {
        ChangeRequest(.append(.value(value), tag: tag, grouping: nil), actor: actor)
    }

    public static func move(_ move: Move) -> ChangeRequest {
        ChangeRequest(.move(move))
    }
}
