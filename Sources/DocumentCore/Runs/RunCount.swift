public import JSONTree
public import Naming

/// The edits of one run in one document, as counts.
///
/// A run is an actor whose name has a slash, as `agent/run-17`: a run of `agent`.
public struct RunCount: Sendable, Equatable {
    /// The edits, without those that the run itself has undone.
    public package(set) var edits = 0
    /// Those of the edits that are out of effect.
    public package(set) var undone = 0
    /// When the first edit was accepted.
    public package(set) var began: Timestamp
    /// When the last edit was accepted.
    public package(set) var ended: Timestamp
    /// The number of the last edit in the order of commits.
    public package(set) var last: Int
    /// No edit has an earlier revision. 0 in rows of the first daemons with an index.
    public package(set) var first = Int.max
    /// The revision of the first edit with a label; `nil` if none has one.
    public package(set) var labelled: Int?
    /// The requesters of the edits, in the order of the bytes; at most `requestersMax`.
    public package(set) var requesters: [Name] = []

    /// The limit on requesters of one run in one document: all of them are in one row.
    static let requestersMax = 16

    /// Nothing that was done yet, by a change that is to be noted.
    package init(at time: Timestamp, last: Int) {
        (began, ended) = (time, time)
        self.last = last
    }

    /// Notes an edit that is in effect.
    package mutating func note(_ change: Change) {
        edits += 1
        noteOccurrence(of: change)
    }

    /// Notes that the first edit is this one, or an older one.
    mutating func noteBeginning(of change: Change) {
        (began, first) = (min(began, change.time), min(first, change.revision))
    }

    /// Notes an edit without counting it.
    mutating func noteOccurrence(of change: Change) {
        noteBeginning(of: change)
        ended = max(ended, change.time)
        if change.label != nil { labelled = min(labelled ?? .max, change.revision) }
        guard let requester = change.promptBy, !requesters.contains(requester) else { return }
        // The first ones by name: the same whatever the order of the changes.
        requesters = Array(
            (requesters + [requester]).sorted().prefix(RunCount.requestersMax))
    }
}

// MARK: Bytes

extension RunCount {
    /// The value of its row.
    package var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 32)
        writer.number(edits)
        writer.number(undone)
        writer.number(max(0, began.milliseconds))
        writer.number(max(0, ended.milliseconds - began.milliseconds))
        writer.number(last)
        writer.number(labelled.map { $0 + 1 } ?? 0)
        writer.names(requesters)
        writer.number(first == .max ? 0 : first)
        return writer.bytes
    }

    /// `nil` if the bytes are none of a count.
    package init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let edits = try? reader.number(), let undone = try? reader.number(),
            let began = try? reader.number(), let length = try? reader.number(),
            let last = try? reader.number(), let labelled = try? reader.number(),
            let requesters = try? reader.names()
        else { return nil }
        self.init(at: Timestamp(milliseconds: began), last: last)
        (self.edits, self.undone, self.requesters) = (edits, undone, requesters)
        ended = Timestamp(milliseconds: began + length)
        self.labelled = labelled == 0 ? nil : labelled - 1
        first = (try? reader.number()) ?? 0
    }
}
