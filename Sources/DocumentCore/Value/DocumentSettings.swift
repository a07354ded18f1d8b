public import JSONSchemas
public import JSONTree
public import VersioningKit

/// The settings that a document's users may change.
public struct DocumentSettings: Sendable, Equatable {
    /// When quick edits become one version.
    public var grouping: Grouping
    /// Which part of the value has versions.
    public var tracking: Tracking
    /// Members that identify an object in an array, for comparing whole values.
    public var identityNames: [String]
    /// How much history is kept.
    public var bounds: HistoryBounds
    /// Whether every change must say which revision it was written against.
    public var requiresMatch = false
    /// Whether others may see who is in it.
    public var showsPresence = true
    /// The schema of the value.
    public var schema: JSONSchema?
    /// Which changes may not break that.
    public var enforcement = SchemaEnforcement.edits

    public init(
        grouping: Grouping = .none, tracking: Tracking = Tracking(),
        identityNames: [String] = ["id"], bounds: HistoryBounds = HistoryBounds()
    ) {
        self.grouping = grouping
        self.tracking = tracking
        self.identityNames = identityNames
        self.bounds = bounds
    }

    /// The finest edits are kept, so that every element and member stays what it is; what is sent
    /// may be shorter.
    package var diffOptions: DiffOptions {
        DiffOptions(identityNames: identityNames, isShort: false)
    }

    /// How a whole value or a merge patch is compared with the state that it is for.
    var editOptions: DiffOptions {
        DiffOptions(identityNames: identityNames, isShort: false, movesBetweenArrays: true)
    }
}

/// Which part of a value has versions. The rest is stored and published like everything else, but
/// undo never touches it.
public struct Tracking: Sendable {
    /// Places without versions.
    public var ignored: [PointerPattern] {
        didSet { trie = PatternTrie(ignored) }
    }
    /// The same patterns in the form of the search.
    private var trie: PatternTrie
    /// The only place with versions; the root for the whole.
    public var tracked: JSONPointer

    /// The limit on patterns, and on their tokens together: every edit searches all of them.
    public static let ignoredMax = 64
    public static let ignoredTokensMax = 512

    public init(ignored: [PointerPattern] = [], tracked: JSONPointer = .root) {
        self.ignored = ignored
        trie = PatternTrie(ignored)
        self.tracked = tracked
    }

    /// Whether all of the value has versions.
    package var isWhole: Bool { ignored.isEmpty && tracked == .root }

    /// Whether an edit at a place belongs to a version.
    package func covers(_ pointer: JSONPointer) -> Bool {
        let isInside = pointer.inside(tracked) != nil || tracked.inside(pointer) != nil
        return isInside && !trie.contains(pointer)
    }

    /// The content of the part that has versions; `nil` if that is the whole. O(ignored places).
    func hash(of tree: JSON) -> ContentHash? {
        if isWhole { return nil }
        // A part that is missing is not one that is null.
        return JSON(elements: part(of: tree).map { [$0] } ?? []).contentHash
    }

    /// The part that has versions, if there is one. O(ignored places).
    func part(of tree: JSON) -> JSON? {
        isWhole ? tree : tree.without(trie)[tracked]
    }

    /// The content hash of the tracked part, for changes.
    func versionHash(of tree: JSON) -> ContentHash { hash(of: tree) ?? tree.contentHash }
}

extension Tracking: Equatable {
    public static func == (left: Tracking, right: Tracking) -> Bool {
        left.ignored == right.ignored && left.tracked == right.tracked
    }
}

/// How much history is kept. Versions beyond it are forgotten, a good part at once; tags keep
/// theirs.
public struct HistoryBounds: Sendable, Equatable {
    /// The number of versions that undo can revert.
    public var count: Int?
    /// About how many bytes the changes take in the journal.
    public var bytes: Int?
    public var age: Duration?

    public init(count: Int? = nil, bytes: Int? = nil, age: Duration? = nil) {
        self.count = count
        self.bytes = bytes
        self.age = age
    }

    var isUnlimited: Bool { self == HistoryBounds() }
}

/// Settings to change; `nil` leaves a setting as it is.
public struct SettingsChange: Sendable, Equatable {
    public var grouping: Grouping?
    public var ignored: [PointerPattern]?
    public var tracked: JSONPointer?
    public var identityNames: [String]?
    public var requiresMatch: Bool?
    public var schema: Setting<JSONSchema>?
    public var enforcement: SchemaEnforcement?
    public var showsPresence: Bool?
    public var historyCount: Setting<Int>?
    public var historyBytes: Setting<Int>?
    public var historyAge: Setting<Duration>?

    /// A value, or none.
    public enum Setting<Value: Sendable & Equatable>: Sendable, Equatable {
        case none
        case to(Value)

        var value: Value? { if case .to(let value) = self { value } else { nil } }
    }

    public init() {}

    func applied(to settings: DocumentSettings) -> DocumentSettings {
        var new = settings
        if let grouping { new.grouping = grouping }
        if let ignored { new.tracking.ignored = ignored }
        if let tracked { new.tracking.tracked = tracked }
        if let identityNames { new.identityNames = identityNames }
        if let requiresMatch { new.requiresMatch = requiresMatch }
        if let schema { new.schema = schema.value }
        if let enforcement { new.enforcement = enforcement }
        if let showsPresence { new.showsPresence = showsPresence }
        if let historyCount { new.bounds.count = historyCount.value }
        if let historyBytes { new.bounds.bytes = historyBytes.value }
        if let historyAge { new.bounds.age = historyAge.value }
        return new
    }
}
