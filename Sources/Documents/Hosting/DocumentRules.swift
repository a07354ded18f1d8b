import Journaling

/// What holds for many documents: those whose names begin alike.
public struct DocumentRules: Sendable {
    /// What holds for documents whose names begin with a prefix.
    public struct Rule: Sendable, Equatable {
        public let prefix: String
        /// The settings that a new document begins with; what is `nil` is not said here.
        public let defaults: SettingsChange

        public init(prefix: String, defaults: SettingsChange) {
            self.prefix = prefix
            self.defaults = defaults
        }
    }

    /// A rule is looked for by going through all.
    public static let countMax = 1_000

    /// The shortest prefix first.
    public let all: [Rule]

    public init(_ rules: [Rule] = []) {
        all = rules.sorted { $0.prefix.utf8.count < $1.prefix.utf8.count }
    }

    /// The settings that a new document of this name begins with: each as the rule with the longest
    /// prefix says that speaks of it. `nil` if none does. O(rules).
    func defaults(of document: DocumentID) -> SettingsChange? {
        var defaults: SettingsChange?
        for rule in all where document.name.utf8.starts(with: rule.prefix.utf8) {
            defaults = (defaults ?? SettingsChange()).overridden(by: rule.defaults)
        }
        return defaults
    }
}

extension SettingsChange {
    /// What both say, and what the other one says where both do.
    func overridden(by other: SettingsChange) -> SettingsChange {
        var result = self
        result.grouping = other.grouping ?? grouping
        result.ignored = other.ignored ?? ignored
        result.tracked = other.tracked ?? tracked
        result.identityNames = other.identityNames ?? identityNames
        result.requiresMatch = other.requiresMatch ?? requiresMatch
        result.schema = other.schema ?? schema
        result.enforcement = other.enforcement ?? enforcement
        result.historyCount = other.historyCount ?? historyCount
        result.historyBytes = other.historyBytes ?? historyBytes
        result.historyAge = other.historyAge ?? historyAge
        return result
    }
}

extension ChangeRequest {
    /// Notes what a document begins with, if the request may make it.
    mutating func noteDefaults(of document: DocumentID, in store: DocumentStore) {
        if case .put = action { defaults = store.rules.defaults(of: document) }
    }
}
