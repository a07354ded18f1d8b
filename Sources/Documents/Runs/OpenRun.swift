import DocumentCore
import JSONTree
public import Journaling
public import Naming

extension OpenRun {
    /// The limit on open runs: each is a document, and a search reads all of them.
    public static let countMax = 10_000

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

    /// When the run ends by itself. `edited`: when it edited last.
    func expiry(edited: Timestamp?) -> Timestamp {
        let last = max(time, edited ?? time)
        return Timestamp(milliseconds: last.milliseconds + lifetime)
    }

    /// As a document says; `nil` if it was deleted: the run was closed.
    init?(_ document: Document) {
        guard document.exists, let time = document.tree["time"]?.int,
            let lifetime = document.tree["ttl"]?.int
        else { return nil }
        self.time = Timestamp(milliseconds: time)
        (self.lifetime, revision) = (lifetime, document.revision)
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
        for number in [time.milliseconds, lifetime, revision] { writer.number(max(0, number)) }
        return writer.bytes
    }

    /// `nil` if the bytes are none of an opening.
    init?(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let time = try? reader.number(), let lifetime = try? reader.number(),
            let revision = try? reader.number()
        else { return nil }
        self.time = Timestamp(milliseconds: time)
        (self.lifetime, self.revision) = (lifetime, revision)
    }
}

extension IndexRows {
    /// The opening of a run that was not closed; it may be over.
    func opening(of run: Name) throws(JournalError) -> RunOpening? {
        try value(RunKey.opening(run)).flatMap { RunOpening(bytes: $0) }
    }

    /// The names of all runs that were not closed.
    mutating func openedRuns() throws(JournalError) -> [Name] {
        try rows(
            from: RunKey.openings, before: RunKey.end(of: RunKey.openings), limit: .max
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
        let edited = try counts(of: name, prefix: "", after: nil, limit: .max).map(\.count.ended)
        let expiry = opening.expiry(edited: edited.max())
        return expiry > now ? OpenRun(name: name, expiry: expiry) : nil
    }
}
