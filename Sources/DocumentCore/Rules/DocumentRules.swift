package import Journaling
public import Naming

/// Rules for many documents, chosen by the prefix of their names.
public struct DocumentRules: Sendable {
    /// The rule for documents whose names begin with a prefix.
    public struct Rule: Sendable, Equatable {
        public let prefix: String
        /// The settings that a new document begins with; what is `nil` is not said here.
        public let defaults: SettingsChange
        /// How much may be stored under it; with a longer prefix, the quotas of both count.
        public let quota: Quota
        /// How long an edit of a run can be undone without the right `admin`; `nil`: without end.
        public let undoWithin: Duration?
        /// How much one run may do under it.
        public let runs: [RunRule]

        public init(
            prefix: String, defaults: SettingsChange = SettingsChange(), quota: Quota = Quota(),
            undoWithin: Duration? = nil, runs: [RunRule] = []
        ) {
            self.prefix = prefix
            self.defaults = defaults
            self.quota = quota
            self.undoWithin = undoWithin
            self.runs = runs
        }

        package var subject: QuotaSubject { .prefix(Name(prefix)) }

        fileprivate func covers(_ document: DocumentID) -> Bool {
            document.isBelow(prefix)
        }
    }

    /// How much each run of an actor may do.
    public struct RunRule: Sendable, Equatable {
        public let parent: Name
        /// The limits on its edits and on the documents that it edits; `nil`: no limit.
        public let edits, documents: Int?

        public init(below parent: Name, edits: Int? = nil, documents: Int? = nil) {
            self.parent = parent
            (self.edits, self.documents) = (edits, documents)
        }
    }

    /// How much those may make who show a token: of a name, or each of those whose names begin so.
    public struct TokenRule: Sendable, Equatable {
        public let name: String
        /// Whether it is the beginning of names, as of an application's users.
        public let isPrefix: Bool
        /// The quota of the token; limits on totals have no effect here.
        public let quota: Quota

        public init(name: String, isPrefix: Bool = false, quota: Quota) {
            self.name = name
            self.isPrefix = isPrefix
            self.quota = quota
        }
    }

    /// The limit on rules: a search reads all of them.
    public static let countMax = 1_000

    /// The shortest prefix first.
    public let all: [Rule]
    /// Those with a quota.
    package let quotas: [Rule]
    /// Those with a limit on undo.
    package let undoRules: [Rule]
    /// Those with a quota of runs.
    package let runRules: [Rule]
    /// The most special first.
    public let tokens: [TokenRule]

    public init(_ rules: [Rule] = [], tokens: [TokenRule] = []) {
        self.tokens = tokens.sorted { left, right in
            let (first, second) = (left.name.utf8.count, right.name.utf8.count)
            return left.isPrefix == right.isPrefix ? first > second : right.isPrefix
        }
        all = rules.sorted { $0.prefix.utf8.count < $1.prefix.utf8.count }
        quotas = all.filter { !$0.quota.isUnlimited }
        undoRules = all.filter { $0.undoWithin != nil }
        runRules = all.filter { !$0.runs.isEmpty }
    }

    /// How many there are, of both kinds.
    public var count: Int { all.count + tokens.count }

    /// The quotas of a document. O(rules).
    package func quotas(of document: DocumentID) -> [Rule] { quotas.filter { $0.covers(document) } }

    /// The quota of a token's name, by the most special rule alone. O(rules).
    package func quota(ofToken name: Name) -> Quota? {
        let rule = tokens.first { rule in
            rule.isPrefix ? name.text.utf8.starts(with: rule.name.utf8) : Name(rule.name) == name
        }
        return rule?.quota
    }

    /// The quotas of a run in a document, with their prefixes: of each prefix the one of the most
    /// special actor. O(rules).
    package func quotas(
        of run: Name, in document: DocumentID
    ) -> [(prefix: Name, quota: RunRule)] {
        runRules.filter { $0.covers(document) }.compactMap { rule in
            rule.runs.filter { run != $0.parent && run.isOne(of: $0.parent) }
                .max { $0.parent.text.utf8.count < $1.parent.text.utf8.count }
                .map { (Name(rule.prefix), $0) }
        }
    }

    /// The settings that a new document of this name begins with: each as the rule with the longest
    /// prefix says that speaks of it. `nil` if none does. O(rules).
    package func defaults(of document: DocumentID) -> SettingsChange? {
        var defaults: SettingsChange?
        for rule in all where rule.covers(document) {
            defaults = (defaults ?? SettingsChange()).overridden(by: rule.defaults)
        }
        return defaults
    }
}

extension SettingsChange {
    /// Both settings together; where both set a value, the other one wins.
    func overridden(by other: SettingsChange) -> SettingsChange {
        var result = self
        result.grouping = other.grouping ?? grouping
        result.ignored = other.ignored ?? ignored
        result.tracked = other.tracked ?? tracked
        result.identityNames = other.identityNames ?? identityNames
        result.requiresMatch = other.requiresMatch ?? requiresMatch
        result.schema = other.schema ?? schema
        result.enforcement = other.enforcement ?? enforcement
        result.showsPresence = other.showsPresence ?? showsPresence
        result.historyCount = other.historyCount ?? historyCount
        result.historyBytes = other.historyBytes ?? historyBytes
        result.historyAge = other.historyAge ?? historyAge
        return result
    }
}
