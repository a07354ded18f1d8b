import DocumentCore
import JSONTree
import Journaling
import Naming

extension OpenRun {
    /// The limit on open runs: each is a document, and a search reads all of them.
    public static let countMax = 10_000

    /// The limit on those of one token's name: one client must not take the room of the others.
    public static let countOfOneMax = 1_000

    /// A PUT that would prolong an open run by less than one part of its time, of this number,
    /// stores nothing: a client that sends one each second must not fill the journal.
    static let partKept = 10

    /// The longest name, in bytes.
    public static let nameBytesMax = documents.nameBytesMax

    /// The documents in which open runs are stored.
    static let documents = OwnDocuments("run/")
}

/// When a run was opened, or kept open, and how long it stays open without an edit.
///
/// It is the value of a document of the daemon's own, and a row of the index. The time of the last
/// edit comes from the index: no edit writes it.
struct RunOpening: Sendable {
    let time: Timestamp
    /// In milliseconds.
    let lifetime: Int
    /// The revision of the document.
    let revision: Int
    /// Its number in the order of commits; 0 where that is unknown.
    let number: Int

    /// When the run ends by itself. `edited`: when it edited last.
    func expiry(edited: Timestamp?) -> Timestamp {
        let last = max(time, edited ?? time)
        return Timestamp(milliseconds: last.milliseconds + lifetime)
    }

    /// As a document says; `nil` if it was deleted: the run was closed.
    init?(_ document: Document, number: Int = 0) {
        guard document.exists, let time = document.tree["time"]?.int,
            let lifetime = document.tree["ttl"]?.int
        else { return nil }
        self.time = Timestamp(milliseconds: time)
        (self.lifetime, revision, self.number) = (lifetime, document.revision, number)
    }

    /// The value of a document. `nonce`: what makes each one another value, so that each PUT is an
    /// entry.
    static func value(at time: Timestamp, lifetime: Duration, nonce: UInt64) -> JSON {
        [
            "time": JSON(time.milliseconds), "ttl": JSON(lifetime.milliseconds),
            "nonce": JSON(String(nonce, radix: 36)),
        ]
    }

    // MARK: Bytes

    /// The value of its row.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 16)
        for number in [time.milliseconds, lifetime, revision, number] {
            writer.number(max(0, number))
        }
        return writer.bytes
    }

    /// `nil` if the bytes are none of an opening.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let time = try? reader.number(), let lifetime = try? reader.number(),
            let revision = try? reader.number(), let number = try? reader.number()
        else { return nil }
        self.time = Timestamp(milliseconds: time)
        (self.lifetime, self.revision, self.number) = (lifetime, revision, number)
    }
}

extension IndexRows {
    /// The opening of a run that was not closed; it may be over.
    func opening(of run: Name) throws(JournalError) -> RunOpening? {
        try value(RunKey.opening(run)).flatMap { RunOpening(bytes: $0) }
    }

    /// The names of the runs that were not closed and begin so.
    mutating func openedRuns(below prefix: String = "") throws(JournalError) -> [Name] {
        let beginning = RunKey.openings + Array(prefix.utf8)
        return try rows(
            from: beginning, before: RunKey.end(of: beginning), limit: .max
        ).map { Name(RunKey.text(of: $0.key, after: RunKey.openings.count)) }
    }

    /// A run, if it is open at a time.
    mutating func openRun(_ name: Name, at now: Timestamp) throws(JournalError) -> OpenRun? {
        try opening(of: name).flatMap { opening throws(JournalError) in
            try openRun(name, opening, at: now)
        }
    }

    /// A run with an opening, if it is open at a time.
    mutating func openRun(
        _ name: Name, _ opening: RunOpening, at now: Timestamp
    ) throws(JournalError) -> OpenRun? {
        let expiry = opening.expiry(edited: try lastEdit(of: name))
        return expiry > now ? OpenRun(name: name, expiry: expiry) : nil
    }

    /// When a run edited last; `nil` if it has no edits. O(its documents).
    mutating func lastEdit(of run: Name) throws(JournalError) -> Timestamp? {
        try counts(of: run, prefix: "", after: nil, limit: .max).map(\.count.ended).max()
    }
}
