public import DocumentCore
public import JSONTree
import SelectiveUndo
import Sentences

/// The effect of an undo of a run in one document.
public struct RunReview: Sendable {
    /// A place in the document as it is now.
    public struct Place: Sendable {
        public let pointer: JSONPointer
        public let outcome: PlaceOutcome
    }

    /// The effect of the undo at a place.
    public enum PlaceOutcome: Sendable {
        /// The value would change: from the one it has now, to the one it would have; `nil`: none.
        case reverts(Value?, to: Value?)
        /// The edit of a revision stays, because of later edits of other actors.
        case conflict(revision: Int, with: [Int])
        /// The document was created by the run, and stays because of these edits.
        case kept(with: [Int])
    }

    /// A value, or the length of its text if that is long.
    public enum Value: Sendable {
        case short(JSON)
        case long(bytes: Int)

        /// The limit on the text of a value.
        private static let bytesMax = 4_096

        init(_ value: JSON) {
            let bytes = value.byteCount
            self = bytes > Value.bytesMax ? .long(bytes: bytes) : .short(value)
        }
    }

    public let revision: Int
    /// Why an undo would do nothing in the document, if it is not there or the undo is refused for
    /// another reason than conflicts.
    public let refusal: ChangeError?
    /// The revisions that would go out of effect.
    public let revisions: [Int]
    /// Those of which nothing can be seen, since other edits have replaced them.
    public let passed: [Int]
    /// The effect at each place; of those that would change, `placesMax` at most.
    public let places: [Place]
    /// The visible effect of the edits, in words; `nil` if an undo would change nothing.
    public let summary: VersionTelling?

    /// The limit on places that are described in one document.
    private static let placesMax = 100

    init(_ result: Result<Outcome, ChangeError>, head: Document) throws(ChangeError) {
        revision = head.revision
        refusal = RunReview.refusal(result) ?? head.absence
        switch result {
        case .success(let outcome):
            let reversal = outcome.change?.reversal
            let isDeleted = outcome.change?.kind == .delete
            revisions = reversal?.visible ?? []
            passed = reversal?.passed ?? []
            let reverted =
                isDeleted
                ? [Place(pointer: .root, outcome: .reverts(Value(outcome.before), to: nil))]
                : RunReview.reverted(by: outcome.edits, on: outcome.before)
            places = RunReview.stopped(by: reversal?.skipped ?? [], birth: head.birth) + reverted
            summary =
                outcome.edits.isEmpty
                ? nil
                : VersionTelling(
                    from: outcome.tree, to: outcome.before, head.settings.identityNames)
        case .failure(.conflicts(let conflicts)), .failure(.creationStays(let conflicts)):
            (revisions, passed, summary) = ([], [], nil)
            places = RunReview.stopped(by: conflicts, birth: head.birth)
        case .failure(.journal(let fault)): throw .journal(fault)
        case .failure(.abandoned): throw .abandoned
        case .failure: (revisions, passed, places, summary) = ([], [], [], nil)
        }
    }

    private static func refusal(_ result: Result<Outcome, ChangeError>) -> ChangeError? {
        switch result {
        case .success, .failure(.conflicts), .failure(.creationStays), .failure(.nothingSelected):
            nil
        case .failure(let error): error
        }
    }

    private static func stopped(
        by conflicts: [Conflict], birth: Int
    ) -> [Place] {
        conflicts.flatMap { conflict in
            conflict.change == birth && conflict.places == [.root]
                ? [Place(pointer: .root, outcome: .kept(with: conflict.with))]
                : conflict.places.map { place in
                    Place(
                        pointer: place,
                        outcome: .conflict(revision: conflict.change, with: conflict.with))
                }
        }
    }

    /// The places that a patch changes, with their values before it and after it.
    private static func reverted(by patch: ReversiblePatch, on before: JSON) -> [Place] {
        var tree = before
        var order: [JSONPointer] = []
        var values: [JSONPointer: (before: JSON?, after: JSON?)] = [:]
        for edit in patch.edits.prefix(placesMax) {
            let former = tree
            guard (try? tree.apply(edit)) != nil else { break }
            for (place, hadValue, hasValue) in edit.ends {
                if values[place] == nil {
                    order.append(place)
                    values[place] = (hadValue ? former[place] : nil, nil)
                }
                values[place]?.after = hasValue ? tree[place] : nil
            }
        }
        return order.map { place in
            Place(
                pointer: place,
                outcome: .reverts(
                    values[place]?.before.map(Value.init), to: values[place]?.after.map(Value.init))
            )
        }
    }
}

extension JSONEdit {
    /// The places that it changes: whether each had a value of its own before it, and has one after
    /// it.
    fileprivate var ends: [(place: JSONPointer, hadValue: Bool, hasValue: Bool)] {
        switch self {
        case .add(let place, _): [(place, false, true)]
        case .remove(let place, _): [(place, true, false)]
        case .replace(let place, _, _), .splice(let place, _, _, _, _): [(place, true, true)]
        case .move(let from, let to): [(from, true, false), (to, false, true)]
        }
    }
}
