package import JSONTree

/// Something that was done here and is not confirmed: an edit, or a command about the history.
package struct PendingStep: Sendable {
    /// The kind of a step.
    package enum Kind: Sendable, Equatable {
        /// The edits are done, as one change.
        case edit
        /// A call that works on the history: its effect is known from the response.
        case command(name: String, body: JSON)
        /// The undo of a step that was under way: shown at once, sent when that has a revision.
        case undo(of: Int, revision: Int?)
    }

    /// The number of the step among all that were made here.
    package let id: Int
    package internal(set) var kind: Kind
    /// The idempotency key. Edits that join get the same, so that a request that is known with
    /// fewer edits is one that was carried out.
    package internal(set) var key: String
    /// The edits, as they were made on `base` with the pending ones before them.
    package internal(set) var edits: [MergeEdit] = []
    /// The same, on the newest state with the pending ones before them.
    package internal(set) var carried: [MergeEdit] = []
    /// The value that they were made on.
    var before: JSON
    /// The revision that they were made on.
    package internal(set) var base: Int
    /// The pending edits before them, if those were made on the same base.
    var behind: [Int]?
    /// Whether others' edits have come since they were made, so that nothing joins them.
    var isCarried = false
    /// Whether others' edits and these could not all be done.
    var isMet = false
    /// How often it was refused and went again with what a person had made of it meanwhile.
    var tries = 0
    /// Of a part of an edit that is too long for one request, the number of the whole.
    var whole: Int?
    /// The request, once it was made: a repetition is the same.
    package internal(set) var request: StepRequest?
    package internal(set) var options: StepOptions

    init(
        _ id: Int, _ kind: Kind, on before: JSON, at base: Int, behind: [Int]?, key: String,
        _ options: StepOptions = StepOptions()
    ) {
        self.id = id
        self.kind = kind
        self.before = before
        self.base = base
        self.behind = behind
        self.key = key
        self.options = options
    }

    package var isEdit: Bool { kind == .edit }

    /// The step that this one undoes.
    var undone: Int? { if case .undo(let id, _) = kind { id } else { nil } }

    /// The limit on earlier changes of its own that a request names.
    static let ownMax = 90
    /// The number of refusals after which a person who types without a pause hears of it.
    private static let triesMax = 5
}

/// How an edit is sent.
package struct StepOptions: Sendable, Equatable {
    /// The name of the edits that a person made in one go: they are one version.
    package var group: String?
    package var label: String?
    /// Whether it has a request of its own.
    package var isAlone = false

    package init(group: String? = nil, label: String? = nil, isAlone: Bool = false) {
        self.group = group
        self.label = label
        self.isAlone = isAlone
    }
}

extension PendingStep {
    /// Whether more edits may go along.
    func takes(_ more: StepOptions) -> Bool {
        isEdit && !isCarried && !options.isAlone && request == nil && options == more
    }

    /// Whether a step that waits behind it may go along in its request.
    func mayTakeAlong(_ next: PendingStep) -> Bool {
        next.isEdit && next.request == nil && !next.isMet && !options.isAlone
            && options == next.options
    }

    mutating func add(_ more: [MergeEdit]) {
        edits.join(more)
        // Nothing was carried, so both are the same.
        carried = edits
    }

    /// Whether it can be sent as it was made: the daemon knows what it rests on.
    func isSendableAsMade(_ known: [Int: KnownStep]) -> Bool {
        guard isMet, let behind, behind.count < PendingStep.ownMax else { return false }
        return behind.allSatisfy { id in
            guard let step = known[id] else { return false }
            return step.revision != nil && step.base == base
        }
    }

    /// Whether it may be sent again with what rests on it, when it was refused.
    var mayGoAgain: Bool { isEdit && whole == nil && tries < PendingStep.triesMax }

    /// From now on it is made on a value at a revision, and on the pending steps before it.
    ///
    /// Edits that do nothing are not sent, so they must not take effect when others' edits come.
    mutating func rebase(on before: JSON, at revision: Int, behind: [Int]?) {
        self.before = before
        (base, self.behind) = (revision, behind)
        isMet = false
        carried = carried.filter { !$0.isNothing }
        edits = carried
    }
}

/// The facts about a step on which pending ones rest.
struct KnownStep: Sendable {
    var base: Int
    var key: String
    /// The revision that the daemon has made of it.
    var revision: Int?
}

/// A request for a pending step; the same at each repetition.
package enum StepRequest: Sendable, Equatable {
    case edit(Edit)
    /// A call about the history, such as `undo`.
    case command(name: String, body: JSON)

    /// An edit of a state, as it was made.
    package struct Edit: Sendable, Equatable {
        package let operations: JSONPatch
        /// The revision that it was made on.
        package let base: Int
        /// The client's own changes since that the state contains.
        package let own: [Own]
        package let policy: ConflictPolicy
        package let group: String?
        package let label: String?
    }

    /// An own change, which is known by its revision once the daemon has answered.
    package enum Own: Sendable, Equatable {
        case revision(Int)
        case key(String)
    }
}
