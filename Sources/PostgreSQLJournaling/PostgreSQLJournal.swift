import Glibc
public import Journaling
import Naming
import Threading

/// A journal in a PostgreSQL database, to which any number of daemons write.
///
/// One connection writes, one waits for the writes of other daemons, and a few read. See
/// `Documentation/Operations/PostgreSQL.md` for the tables and the required settings of the server.
public final class PostgreSQLJournal: Journal, UsageReporting, SelfChecking, FigureReporting,
    TimeKeeping
{
    /// Connections that are kept for reading: as many as there are threads that read.
    private static let readersMax = 9
    /// How long a read retries an unreachable database.
    private static let reachTime = Duration.seconds(3)
    static let pageSize = 1_000
    /// The maximum number of scanned positions per page of entries.
    private static let scanMax = 20_000

    /// The duration of a commit after which the daemon is not ready.
    private static let commitTime = Duration.seconds(2)
    /// How far a machine's clock may be from the database's.
    public static let clockDifferenceMax = Duration.seconds(10)

    private let address: PostgreSQLAddress
    private let patience: Duration
    let columns: any BodyColumns
    private let segments = SegmentCache<SegmentKey>()
    /// `nil` when the journal is closed.
    private let writer: Lock<PostgreSQLWriter?>
    /// When the commit that is under way began.
    private let commitBegan = Lock<Duration?>(nil)
    private let readers = Lock<[PostgreSQLConnection]>([])
    let watch: PostgreSQLWatch
    private let isPreparing: Bool
    private let now: @Sendable () -> Duration
    private let wall: (@Sendable () -> Duration)?
    /// As the server says.
    public let serverVersion: String

    /// Connects, and makes the tables if there are none.
    ///
    /// - Parameters:
    ///   - columns: takes bodies apart while a document is rewritten: they take less memory then.
    ///   - patience: how long the database may be silent about a change; about what is read, twice
    ///     as long. Then the connection is given up, and it is asked on another one what became of
    ///     the change.
    ///   - mayChangeTables: whether tables of an older version may become what they are now:
    ///     daemons of that version cannot store anything from then on.
    ///   - wall: the time of this machine since 1970, to be compared with the database's.
    ///   - now: time that only goes forward, for how long an unreachable database is tried.
    public init(
        _ address: PostgreSQLAddress, columns: any BodyColumns = WholeBodies(),
        patience: Duration = .seconds(5), mayChangeTables: Bool = true,
        wall: (@Sendable () -> Duration)? = nil, now: @escaping @Sendable () -> Duration
    ) throws(JournalError) {
        self.address = address
        self.columns = columns
        self.patience = patience
        self.now = now
        self.wall = wall
        do throws(PostgreSQLError) {
            let connection = try PostgreSQLConnection(address, isPreparing: false)
            try connection.begin()
            try connection.prepareTables(mayChange: mayChangeTables)
            serverVersion =
                try connection.settings().first { $0.name == "server_version" }?.value
                ?? "unknown"
            let watch = try PostgreSQLWatch(
                address, beside: connection, patience: patience, now: now)
            self.watch = watch
            // Behind a pooler, one connection is many: nothing can be prepared either.
            isPreparing = watch.isListening
            writer = Lock(
                PostgreSQLWriter(
                    address, after: watch.last, isPreparing: watch.isListening,
                    patience: patience, watch.identity, segments, now))
            watch.start()
        } catch {
            throw error.asJournalError
        }
    }

    public var shared: (any SharedJournal)? { self }

    /// Whether the database says when others have written; otherwise it is asked now and then.
    public var isListening: Bool { watch.isListening }

    /// Why the database cannot be reached, or a change cannot be stored there.
    public var fault: JournalError? {
        if let fault = watch.fault ?? clockFault { return fault }
        guard let began = commitBegan.withLock({ $0 }), now() - began > PostgreSQLJournal.commitTime
        else { return nil }
        return .unavailable("a commit has been under way for seconds, without an answer")
    }

    public var time: Duration? { watch.time }

    /// How far this machine's clock is ahead of the database's, as far as that is known.
    private var clockLead: Duration? {
        guard let wall, let time else { return nil }
        return wall() - time
    }

    private var clockFault: JournalError? {
        guard let lead = clockLead, max(lead, .zero - lead) > PostgreSQLJournal.clockDifferenceMax
        else { return nil }
        let seconds = Int(lead / .seconds(1))
        return .unavailable(
            "the clock of this machine is \(abs(seconds)) seconds "
                + "\(seconds > 0 ? "ahead of" : "behind") the database's; set the one that is wrong"
        )
    }

    /// The number of reconnects of the connection that waits for other daemons.
    public var reconnects: Int { watch.reconnects }

    /// The version of libpq that is at work.
    public static var libraryVersion: String { PostgreSQLConnection.libraryVersion }

    /// The SQL that makes the tables, for operators who run it themselves; or the SQL that migrates
    /// the tables of an older version. `nil` if the version does not exist.
    public static func schema(from version: Int = 0) -> String? {
        let first = version == 0 ? [Statement.schemaTable, .schemaRow] : []
        return Statement.migration(from: version).map { statements in
            (first + statements).map { $0.sql + ";\n" }.joined()
        }
    }

    // MARK: Writing

    public func commit(_ batch: JournalBatch) throws(JournalError) -> [EntryFate] {
        let fates =
            batch.entries.isEmpty
            ? []
            : try committing { writer throws(JournalError) in try writer.commit(batch) }
        note(fates)
        // Without them, replay is longer and nothing else.
        for checkpoint in batch.checkpoints {
            try? reading { connection throws(PostgreSQLError) in
                try connection.store(checkpoint)
            }
        }
        if let update = batch.index {
            try? reading { connection throws(PostgreSQLError) in try connection.store(update) }
        }
        return fates
    }

    /// Commits, which may take long, and notes what is in the way of it.
    private func committing<Result>(
        _ body: (inout PostgreSQLWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        let began = now()
        commitBegan.withLock { $0 = began }
        defer { commitBegan.withLock { $0 = nil } }
        do throws(JournalError) {
            return try withWriter(body)
        } catch {
            if case .full = error { watch.note(lack: error) }
            throw error
        }
    }

    func withWriter<Result>(
        _ body: (inout PostgreSQLWriter) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try writer.withLock { writer throws(JournalError) in
            guard writer != nil else { throw .stopped("the journal is closed") }
            if let loss = watch.identity.loss { throw loss }
            return try body(&writer!)
        }
    }

    /// Records the stored entries, and wakes the waiting threads.
    private func note(_ fates: [EntryFate]) {
        for case .stored(let sequence) in fates.reversed() {
            return watch.committed(sequence)
        }
    }

    // MARK: Reading

    public var lastSequence: Int { watch.last }

    public func entries(
        after sequence: Int, upTo last: Int, prefix: String, limit: Int
    ) throws(JournalError) -> JournalPage {
        let wanted = prefix.isEmpty ? WantedDocuments.all : .prefix(Array(prefix.utf8))
        return try entries(after: sequence, upTo: last, of: wanted, limit: limit)
    }

    public func entries(
        after sequence: Int, upTo last: Int, of documents: [DocumentID], limit: Int
    ) throws(JournalError) -> JournalPage {
        try entries(after: sequence, upTo: last, of: .named(Set(documents)), limit: limit)
    }

    private func entries(
        after sequence: Int, upTo last: Int, of wanted: WantedDocuments, limit: Int
    ) throws(JournalError) -> JournalPage {
        // Another daemon may have said more than is known here.
        if sequence > lastSequence { _ = try newestSequence() }
        let (sequence, last) = (max(0, sequence), min(last, lastSequence))
        var found = FoundPlaces(places: [], end: sequence)
        var span = min(limit, PostgreSQLJournal.pageSize)
        while found.end < last, found.end - sequence < PostgreSQLJournal.scanMax,
            found.places.count < limit
        {
            let next = try reading { [found] connection throws(PostgreSQLError) in
                try connection.places(
                    after: found.end, upTo: last, of: wanted, span: span,
                    limit: limit - found.places.count)
            }
            if next.end == found.end { break }
            found.places += next.places
            found.end = next.end
            // The scan grows while few entries match.
            span = min(PostgreSQLJournal.scanMax, span * 4)
        }
        if found.end == sequence, sequence < last, limit > 0 {
            throw .unavailable(
                "the database does not return the position of entry \(sequence + 1)")
        }
        return try page(found.places, end: found.end)
    }

    /// The entries at places, as far as they are not too many bytes.
    private func page(
        _ places: [EntryPlace], end: Int
    ) throws(JournalError) -> JournalPage {
        if places.isEmpty { return JournalPage(entries: [], end: end) }
        let found = try reading { connection throws(PostgreSQLError) in
            try connection.entries(at: places)
        }
        let entries = zip(places, found).map { ($0.sequence, $1) }
        guard let last = entries.last?.0 else {
            throw .corrupt("entry \(places[0].sequence) is not there")
        }
        return JournalPage(entries: entries, end: found.count < places.count ? last : end)
    }

    public func head(of document: DocumentID) throws(JournalError) -> JournalHead? {
        try heads(of: [document])[document]
    }

    public func entries(
        of document: DocumentID, from revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try reading { connection throws(PostgreSQLError) in
            try connection.entries(of: document, from: revision, limit: limit)
        }
    }

    public func entries(
        of document: DocumentID, upTo revision: Int, limit: Int
    ) throws(JournalError) -> [JournalEntry] {
        try reading { connection throws(PostgreSQLError) in
            try connection.entries(of: document, upTo: revision, limit: limit)
        }
    }

    public func segment(
        of document: DocumentID, holding revision: Int
    ) throws(JournalError) -> Segment? {
        try reading { connection throws(PostgreSQLError) in
            try connection.storedSegment(of: document, holding: revision)
        }
    }

    public func checkpoint(
        of document: DocumentID, notAfter revision: Int
    ) throws(JournalError) -> Checkpoint? {
        try reading { connection throws(PostgreSQLError) in
            try connection.checkpoint(of: document, notAfter: revision)
        }
    }

    public func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing] {
        try reading { connection throws(PostgreSQLError) in
            try connection.documents(prefix: prefix, after: name, limit: limit)
        }
    }

    public func documents(
        changedAfter sequence: Int, prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentRevision] {
        var position = max(0, sequence)
        let last = try newestSequence()
        var first: [DocumentID: Int] = [:]
        while position < last {
            let found = try reading { [position] connection throws(PostgreSQLError) in
                try connection.places(
                    after: position, upTo: last, of: .prefix(Array(prefix.utf8)),
                    span: PostgreSQLJournal.scanMax, limit: .max)
            }
            for place in found.places where first[place.document] == nil {
                first[place.document] = place.revision
            }
            if found.end == position { break }
            position = found.end
        }
        let names = first.keys.filter { id in name.map { Name($0) < Name(id.name) } ?? true }
        return names.sorted().prefix(limit).map { DocumentRevision($0, first[$0] ?? 0) }
    }

    public var libraries: [String: String] {
        ["libpq": PostgreSQLJournal.libraryVersion, "server": serverVersion]
    }

    public var figures: [String: Double] {
        [
            "database_up": fault == nil ? 1 : 0, "database_listening": isListening ? 1 : 0,
            "database_reconnects_total": Double(reconnects),
            "database_clock_lead_seconds": clockLead.map { $0 / .seconds(1) } ?? 0,
        ]
    }

    /// Faults of the tables as a whole, one sentence each: entries without a number, and missing
    /// entries.
    public func faults() throws(JournalError) -> [String] {
        let row = try reading { connection throws(PostgreSQLError) in
            try connection.patiently(try connection.run([.init(.counts)])[0].rows[0])
        }
        let (entries, expected) = (row.integer(0), row.integer(1))
        let (last, numbered) = (row.integer(2), row.integer(3))
        var faults: [String] = []
        if entries != expected {
            faults.append("there are \(entries) entries, and the documents have \(expected)")
        }
        if last != numbered {
            faults.append("the last number is \(last), but \(numbered) entries are numbered")
        }
        if entries != last { faults.append("there are \(entries) entries, and \(last) numbers") }
        return faults
    }

    public func usage(limit: Int) throws(JournalError) -> [DocumentUsage] {
        let values: [SQLValue] = [.integer(limit), .bytes(DocumentID.bound(below: ""))]
        let rows = try reading { connection throws(PostgreSQLError) in
            try connection.patiently(try connection.run([.init(.usage, values)])[0].rows)
        }
        return rows.compactMap { row in
            DocumentID(String(decoding: row.bytes(0), as: UTF8.self)).map {
                DocumentUsage(document: $0, entries: row.integer(1), bytes: row.integer(2))
            }
        }
    }

    public func usage(ofPrefix prefix: String) throws(JournalError) -> PrefixUsage {
        try reading { connection throws(PostgreSQLError) in
            try connection.usage(ofPrefix: prefix)
        }
    }

    public func close() {
        watch.stop()
        readers.withLock { $0 = [] }
        writer.withLock { writer in
            writer?.close()
            writer = nil
        }
    }

    /// Reads with an exclusive connection; a lost connection is replaced.
    func reading<Result>(
        _ body: (PostgreSQLConnection) throws(PostgreSQLError) -> Result
    ) throws(JournalError) -> Result {
        let end = now() + PostgreSQLJournal.reachTime
        while true {
            if let loss = watch.identity.loss { throw loss }
            do throws(PostgreSQLError) {
                let connection = try reader()
                let result = try body(connection)
                readers.withLock {
                    if $0.count < PostgreSQLJournal.readersMax { $0.append(connection) }
                }
                return result
            } catch {
                switch error {
                case .transient, .locked:
                    guard now() < end else { throw error.asJournalError }
                    usleep(UInt32.random(in: 1_000...50_000))
                case .lost, .unreachable, .readOnly:
                    guard now() < end else { throw error.asJournalError }
                    // Other connections of the same age are also lost.
                    readers.withLock { $0 = [] }
                    usleep(UInt32.random(in: 1_000...50_000))
                case .full, .refused, .lostHistory, .corrupt: throw error.asJournalError
                }
            }
        }
    }

    private func reader() throws(PostgreSQLError) -> PostgreSQLConnection {
        if let idle = readers.withLock({ $0.popLast() }) { return idle }
        return try newReader()
    }

    func newReader(
        patience: Duration? = nil
    ) throws(PostgreSQLError) -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(
            address, isPreparing: isPreparing, patience: patience ?? self.patience * 2,
            segments: segments)
        try connection.begin()
        try watch.identity.check(connection)
        return connection
    }
}

// MARK: Sharing

extension PostgreSQLJournal: SharedJournal {
    public func heads(
        of documents: [DocumentID]
    ) throws(JournalError) -> [DocumentID: JournalHead] {
        // A read of a document's head also reports a database that lost changes.
        let known = lastSequence
        return try reading { connection throws(PostgreSQLError) in
            let (newest, heads) = try connection.newestAndHeads(of: documents)
            try watch.note(newest, known: known, on: connection)
            return heads
        }
    }

    public func newestSequence() throws(JournalError) -> Int {
        let known = lastSequence
        try reading { connection throws(PostgreSQLError) in
            try watch.note(try connection.newest(), known: known, on: connection)
        }
        return lastSequence
    }

    public func places(
        after sequence: Int, limit: Int
    ) throws(JournalError) -> [EntryPlace] {
        let (sequence, limit) = (max(0, sequence), min(limit, PostgreSQLJournal.scanMax))
        let places = try reading { connection throws(PostgreSQLError) in
            try connection.newPlaces(after: sequence, limit: limit)
        }
        // Later reads of the journal must find it.
        if let last = places.last { watch.note(last.sequence) }
        return places
    }

    public func entries(
        after known: [DocumentRevision]
    ) throws(JournalError) -> [DocumentID: [JournalEntry]] {
        let found = try reading { connection throws(PostgreSQLError) in
            try connection.entries(after: known)
        }
        return Dictionary(uniqueKeysWithValues: zip(known.map(\.document), found))
    }

    public func commit(
        to documents: [DocumentRevision], _ make: (TurnBeginning) -> JournalBatch
    ) throws(JournalError) -> [EntryFate] {
        let fates = try committing { writer throws(JournalError) in
            try writer.commit(to: documents, make)
        }
        note(fates)
        return fates
    }

    public func awaitEntry(after sequence: Int) -> Bool {
        watch.await(after: sequence)
    }

    public func stopWaiting() {
        watch.stopWaiting()
    }
}
