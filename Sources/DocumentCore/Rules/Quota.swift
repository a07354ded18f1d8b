public import Naming

/// How much may be stored: in total, and in one day (UTC). What is `nil` has no limit.
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
    /// Whoever shows a token of this name.
    case token(Name)
}

/// What a quota has no room for.
public struct QuotaRefusal: Error, Equatable, Sendable {
    public let subject: QuotaSubject
    public let measure: Measure
    /// Whether there is room again tomorrow.
    public let isDaily: Bool
    public let max: Int

    /// What is counted.
    public enum Measure: String, Sendable {
        case documents, bytes, changes
    }
}

/// What few requests have: where a draft begins, and what rules say. A class, so that a request
/// holds it by one word.
package final class RequestRules: Sendable {
    /// Where a document is from that is made as a copy: so it is a draft.
    let start: DraftStart?
    /// What the document begins with, if this makes it.
    let defaults: SettingsChange?
    /// What quotas have no room for.
    let refusals: QuotaRefusals

    /// `nil` if there is nothing of it.
    package init?(start: DraftStart?, defaults: SettingsChange?, _ refusals: QuotaRefusals) {
        if start == nil, defaults == nil, refusals == QuotaRefusals() { return nil }
        self.start = start
        self.defaults = defaults
        self.refusals = refusals
    }
}

/// What quotas are in the way of when a document is changed.
public struct QuotaRefusals: Equatable, Sendable {
    /// Of making the document.
    public var creation: QuotaRefusal?
    /// Of whatever makes it or its history larger.
    public var growth: QuotaRefusal?

    public init() {}

    /// Both together: what came first is told.
    package mutating func formUnion(_ other: QuotaRefusals) {
        creation = creation ?? other.creation
        growth = growth ?? other.growth
    }
}
