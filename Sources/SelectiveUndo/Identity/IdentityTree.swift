import JSONTree

/// A JSON tree in which every element, every value written to a member, and every character keeps
/// its identity, whatever happens to it.
///
/// It holds the *steps* of writers. The value is the result of the steps of all writers in effect,
/// each on the boxes that it was made on, in the order of the writers; writers go out of effect and
/// return in any order, and the value depends only on the set in effect. A step hides removed boxes
/// but does not forget them.
///
/// Two states are kept apart: the *fold* is what the writers in effect make; the *shown* state is
/// the tree that callers have. `flip` changes the fold, `show` leads the tree there and returns the
/// patch. Everything else expects both to be the same.
///
/// Parts that no step has touched are plain JSON: memory grows with the steps, not with the tree.
struct IdentityTree: Sendable {
    typealias ID = Int32

    /// No box, no place, no content.
    static let none: ID = -1

    /// An element, or a value written to a member. It may be moved, and stays what it is.
    struct Box: Sendable {
        /// Whose step made it.
        var writer: ID
        let birthplace: ID
        let birthContent: ID
        /// Where it is, by the fold.
        var place: ID
        var shownPlace: ID
        var shownContent: ID
        /// The steps that gave it other contents, oldest first.
        var writes: [ID] = []
        /// The newest of them that is in effect; none: it holds what it was made with.
        var write: ID = IdentityTree.none
        /// The move that brought it where it is, by the fold.
        var movedBy: ID = IdentityTree.none
        var shownMove: ID = IdentityTree.none
        var isTangled = false

        init(writer: ID, place: ID, content: ID) {
            self.writer = writer
            birthplace = place
            birthContent = content
            self.place = place
            shownPlace = place
            shownContent = content
        }
    }

    /// Where a box can be.
    struct Place: Sendable {
        enum Slot: Sendable {
            case root
            case member(MemberName)
            /// A run of length 1 in the array.
            case element(run: ID)
        }

        /// The content that it belongs to; none for the root.
        let container: ID
        let slot: Slot
        /// The box that came with the content.
        let initial: ID
        var occupant: ID
        var shown: ID
        /// The steps that put a box there or took it away, oldest first.
        var steps: [ID] = []
        /// The newest of them that is in effect.
        var step: ID = IdentityTree.none
        var isTangled = false

        init(_ slot: Slot, in container: ID, initial: ID) {
            self.slot = slot
            self.container = container
            self.initial = initial
            occupant = initial
            shown = initial
        }
    }

    /// The content of a box.
    struct Content: Sendable {
        enum Kind: Sendable {
            /// A value that no step has gone into.
            case plain(JSON)
            case object(ID)
            case array(ID)
            case text(ID)
        }

        let owner: ID
        var writer: ID
        var kind: Kind
    }

    struct ObjectContent: Sendable {
        let base: JSON
        /// The members that were touched.
        var places: [MemberName: ID] = [:]
    }

    struct ArrayContent: Sendable {
        let base: JSON
        var runs: RunSequence
        /// By run: the slot, or nothing for elements that were not touched.
        var places: [ID]
        /// By run: the index in `base` of the first element that was not touched.
        var starts: [Int32]
    }

    struct TextContent: Sendable {
        struct Piece: Sendable {
            /// The string that it is a part of, and where it begins there.
            let source: Int32
            var start: Int32
            /// The step that inserted it; none for the initial text.
            let insertedBy: ID
            var deletedBy: [ID] = []
        }

        var runs: RunSequence
        /// By run.
        var pieces: [Piece]
        var sources: [JSON]
        /// The writers that edited inside it; others replaced it as a whole.
        var typedBy: Set<ID> = []
    }

    struct Step: Sendable {
        enum Action: Sendable {
            case create(box: ID, place: ID)
            case write(box: ID, content: ID)
            case move(box: ID, place: ID)
            case remove(box: ID, place: ID)
            /// A box makes room for another one, which the same writer moves there.
            case setAside(box: ID, place: ID)
            /// A removed box returns: another actor's edit inside it won.
            case restore(box: ID, place: ID)
            case insert(content: ID)
            case delete(content: ID)
        }

        var writer: ID
        var action: Action
        /// Its number among the edits of the patch.
        var edit: Int32 = 0
        /// The runs of text that it inserted or deleted.
        var runs: [ID] = []
    }

    struct Writer: Sendable {
        var isInEffect = true
        var steps: Range<ID>
    }

    /// Places that moves connect: they are folded together.
    struct Tangle: Sendable {
        var boxes: [ID] = []
        var places: [ID] = []
        /// In their order.
        var steps: [ID] = []
        /// The changes without which the cycle would be rendered differently.
        var writers: Set<ID> = []
    }

    /// Where the fold may be another than what is shown.
    struct Pending: Sendable {
        var places: [ID] = []
        var boxes: [ID] = []
        var runs: [ID: [ID]] = [:]
        var hasTangle = false

        var isEmpty: Bool { places.isEmpty && boxes.isEmpty && runs.isEmpty && !hasTangle }
    }

    var boxes: [Box] = []
    var places: [Place] = []
    var contents: [Content] = []
    var objects: [ObjectContent] = []
    var arrays: [ArrayContent] = []
    var texts: [TextContent] = []
    var steps: [Step] = []
    /// The first writer made the initial tree; it is always in effect.
    var writers: [Writer] = [Writer(steps: 0..<0)]
    /// The runs of all texts and arrays.
    var runCount = 0
    var tangle = Tangle()
    var pending = Pending()

    /// The tree that `value` is, before any step.
    init(_ value: JSON) {
        boxes.append(Box(writer: 0, place: 0, content: 0))
        contents.append(Content(owner: 0, writer: 0, kind: .plain(value)))
        places.append(Place(.root, in: IdentityTree.none, initial: 0))
    }

    /// The tree differs from the one for which its steps were made, so its value is undefined.
    struct Diverged: Error, Equatable {}

    /// About how many bytes it takes, without the values.
    var byteCount: Int {
        boxes.count * 80 + places.count * 64 + contents.count * 40 + steps.count * 40
            + runCount * 64 + writers.count * 16
    }
}
