public import Naming

/// The limits on stored data: in total, and in one day (UTC). `nil`: no limit.
public struct Quota: Sendable, Equatable {
    /// Documents that there are; deleted ones do not count.
    public var documents: Int?
    /// Bytes that they take in the journal, with their history, about.
    public var bytes: Int?
    public var changesPerDay: Int?
    /// Documents that are made in a day.
    public var documentsPerDay: Int?
    /// Bytes that changes take in a day.
    public var bytesPerDay: Int?

    public init() {}

    /// Whether it limits nothing.
    public var isUnlimited: Bool { self == Quota() }
}

/// Whose quota it is.
public enum QuotaSubject: Hashable, Sendable {
    /// Documents whose names begin so.
    case prefix(Name)
    /// The client that presents a token of this name.
    case token(Name)
    /// A run, in documents whose names begin so.
    case run(Name, prefix: Name)
}

/// A change for which a quota has no room.
public struct QuotaRefusal: Error, Equatable, Sendable {
    public let subject: QuotaSubject
    public let measure: Measure
    /// Whether there is room again tomorrow.
    public let isDaily: Bool
    public let max: Int

    package init(subject: QuotaSubject, measure: Measure, isDaily: Bool, max: Int) {
        self.subject = subject
        self.measure = measure
        self.isDaily = isDaily
        self.max = max
    }

    /// The measured quantity.
    public enum Measure: String, Sendable {
        case documents, bytes, changes, edits
    }
}

/// The quotas that refuse changes of a document.
public struct QuotaRefusals: Equatable, Sendable {
    /// Of making the document.
    public var creation: QuotaRefusal?
    /// Of whatever makes it or its history larger.
    public var growth: QuotaRefusal?
    /// Of an edit of a run.
    public var edit: QuotaRefusal?

    public init() {}

    /// Both together; the first refusal is the one that is reported.
    package mutating func formUnion(_ other: QuotaRefusals) {
        creation = creation ?? other.creation
        growth = growth ?? other.growth
        edit = edit ?? other.edit
    }
}
