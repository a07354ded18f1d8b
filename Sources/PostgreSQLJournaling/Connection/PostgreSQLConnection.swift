import CPostgreSQL
import Glibc
import Journaling

/// A connection to a database: statements go out together, and their results come back together.
///
/// One thread at a time may use it. After `.lost` or `.unreachable` it is of no use any more.
@safe final class PostgreSQLConnection {
    /// A statement with its parameters.
    struct Command {
        let statement: Statement
        let values: [SQLValue]

        init(_ statement: Statement, _ values: [SQLValue] = []) {
            self.statement = statement
            self.values = values
        }
    }

    /// The result of a statement.
    struct Answer {
        var rows: [SQLRow] = []
        /// How many rows it has changed.
        var changed = 0
    }

    private let connection: OpaquePointer
    /// Statements that the server knows; `nil` where each connection may be to another server
    /// process, as behind a pooler.
    private var prepared: Set<Statement>?
    /// How long the server may be silent: it is given up then, as if the connection were lost.
    private var patience: Duration
    /// Warnings of the server about what is running; counted by libpq's thread, which is this one.
    private let warnings: UnsafeMutablePointer<Int32>
    /// The commands at the beginning of each transaction, where the pooler does not keep a session.
    private(set) var opening: [Command] = []
    /// Segments that were read lately; the journal's connections have one for all.
    let segments: SegmentCache<SegmentKey>

    /// The time limit of long statements, above that of the server.
    static let longPatience = Duration.seconds(40)
    /// How long its socket alone is watched: encryption may hold back what has arrived.
    private static let lookTime = 100
    private static let binary: Int32 = 1

    /// Connects. Blocks for the time that the address allows, `connect_timeout`.
    init(
        _ address: PostgreSQLAddress, isPreparing: Bool,
        patience: Duration = PostgreSQLConnection.longPatience,
        segments: SegmentCache<SegmentKey> = SegmentCache()
    ) throws(PostgreSQLError) {
        self.segments = segments
        prepared = isPreparing ? [] : nil
        self.patience = patience
        unsafe warnings = .allocate(capacity: 1)
        unsafe warnings.initialize(to: 0)
        let (names, values) = (address.parameters.map(\.name), address.parameters.map(\.value))
        guard let made = unsafe PostgreSQLConnection.connect(names, values) else {
            throw .unreachable("out of memory")
        }
        unsafe connection = made
        guard unsafe PQstatus(connection) == CONNECTION_OK else {
            // The message of libpq about an invalid address quotes it, including the password.
            let isAboutAddress = ["invalid", "unexpected", "end of string", "missing", "extra"]
                .contains { message.hasPrefix($0) }
            throw .unreachable(
                isAboutAddress ? "the URL cannot be read, or an option in it is wrong" : message)
        }
        let isReady =
            unsafe PQsetnonblocking(connection, 1) == 0
            && PQenterPipelineMode(connection) == 1
        guard isReady else { throw .unreachable("a pipeline cannot be made") }
        unsafe PQsetNoticeReceiver(connection, PostgreSQLConnection.countWarning, warnings)
    }

    deinit {
        unsafe PQfinish(connection)
        unsafe warnings.deallocate()
    }

    /// Counts a warning of the class 01000: a commit that was cut off while it waited for standbys
    /// ends with one, and as if all were well.
    private static let countWarning: PQnoticeReceiver = { counter, result in
        guard let counter = unsafe counter, let result = unsafe result,
            let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))),
            unsafe String(cString: state) == "01000"
        else { return }
        unsafe counter.assumingMemoryBound(to: Int32.self).pointee += 1
    }

    private static func connect(_ names: [String], _ values: [String]) -> OpaquePointer? {
        // A list of texts, and a null behind the last.
        func list(_ texts: [String]) -> [[UInt8]?] { texts.map { Array($0.utf8) + [0] } + [nil] }
        return unsafe withPointers(to: list(names)) { names in
            unsafe withPointers(to: list(values)) { values in
                unsafe PQconnectdbParams(names, values, 1)
            }
        }
    }

    private var message: String {
        let text = unsafe String(cString: PQerrorMessage(connection))
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The socket, to wait for notifications.
    var descriptor: Int32 { unsafe PQsocket(connection) }

    /// The version of libpq.
    static var libraryVersion: String {
        let version = PQlibVersion()
        return "\(version / 10_000).\(version % 10_000)"
    }

    // MARK: Running

    /// Waits longer for the server than usual.
    func patiently<Result>(
        _ body: @autoclosure () throws(PostgreSQLError) -> Result
    ) throws(PostgreSQLError) -> Result {
        let usual = patience
        patience = PostgreSQLConnection.longPatience
        defer { patience = usual }
        return try body()
    }

    /// Whether what is set for a session holds for all transactions.
    var keepsSession: Bool { prepared != nil }

    /// Begins each transaction with these, if one session is not kept for all of them.
    func open(with commands: [Command]) {
        opening = prepared == nil ? commands : []
    }

    /// Runs statements, all sent before the first answer is read. If one fails, those after it are
    /// not run; the error is that of the first.
    @discardableResult
    func run(_ commands: [Command]) throws(PostgreSQLError) -> [Answer] {
        unsafe warnings.pointee = 0
        var parts: [Bool] = []
        for command in commands {
            if prepared?.contains(command.statement) == false, !command.statement.name.isEmpty {
                try prepare(command)
                parts.append(false)
            }
            try send(command)
            parts.append(true)
        }
        guard unsafe PQpipelineSync(connection) == 1 else { throw .lost(message) }
        let answers: [Answer]
        do throws(PostgreSQLError) {
            answers = try results(parts.count)
        } catch {
            // Those that came after the fault are not prepared.
            if prepared != nil { prepared = [] }
            _ = try? deallocate(error)
            throw error
        }
        // It is stored here, and perhaps nowhere else.
        if unsafe warnings.pointee > 0, commands.contains(where: { $0.statement == .commit }) {
            throw .lost("the server ended its wait for a standby")
        }
        return zip(parts, answers).filter(\.0).map(\.1)
    }

    /// After a fault the transaction is rolled back, and all statements are prepared again.
    private func deallocate(_ error: PostgreSQLError) throws(PostgreSQLError) {
        switch error {
        case .lost, .unreachable: return
        default: break
        }
        // In a transaction that has failed nothing else is possible.
        try send(Command(.rollback))
        guard unsafe PQpipelineSync(connection) == 1 else { throw .lost(message) }
        _ = try results(1)
        guard prepared != nil else { return }
        try send(Command(.forgetAll))
        guard unsafe PQpipelineSync(connection) == 1 else { throw .lost(message) }
        _ = try results(1)
    }

    private func prepare(_ command: Command) throws(PostgreSQLError) {
        let statement = command.statement
        let types = command.values.map(\.type)
        let isSent = unsafe PQsendPrepare(
            connection, statement.name, statement.sql, Int32(types.count), types)
        guard isSent == 1 else { throw .lost(message) }
        prepared?.insert(statement)
    }

    private func send(_ command: Command) throws(PostgreSQLError) {
        let values = command.values
        let bytes: [[UInt8]?] = values.map { $0.bytes.map { $0.isEmpty ? [0] : $0 } }
        let lengths = values.map { Int32($0.bytes?.count ?? 0) }
        let formats = values.map { _ in PostgreSQLConnection.binary }
        let isPrepared = prepared?.contains(command.statement) ?? false
        let isSent = unsafe PostgreSQLConnection.withPointers(to: bytes) { pointers in
            unsafe isPrepared
                ? PQsendQueryPrepared(
                    connection, command.statement.name, Int32(values.count), pointers, lengths,
                    formats, PostgreSQLConnection.binary)
                : PQsendQueryParams(
                    connection, command.statement.sql, Int32(values.count), values.map(\.type),
                    pointers, lengths, formats, PostgreSQLConnection.binary)
        }
        guard isSent == 1 else { throw .lost(message) }
    }

    /// Calls `body` with the addresses of all values. libpq copies what they point to.
    private static func withPointers<Result>(
        to values: [[UInt8]?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var pointers = unsafe [UnsafePointer<CChar>?]()
        unsafe pointers.reserveCapacity(values.count)
        func next(_ index: Int) -> Result {
            guard index < values.count else { return unsafe body(pointers) }
            guard let value = values[index] else {
                unsafe pointers.append(nil)
                return next(index + 1)
            }
            return unsafe value.withUnsafeBytes { bytes in
                unsafe pointers.append(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
                return next(index + 1)
            }
        }
        return next(0)
    }

    // MARK: Results

    /// The responses of this number of statements, and then of the sync.
    private func results(_ count: Int) throws(PostgreSQLError) -> [Answer] {
        var answers: [Answer] = []
        var failure: PostgreSQLError?
        for _ in 0..<count {
            do throws(PostgreSQLError) {
                answers.append(try answer())
            } catch {
                if case .lost = error { throw failure ?? error }
                failure = failure ?? error
            }
        }
        guard let sync = unsafe try next() else { throw failure ?? .lost(message) }
        unsafe PQclear(sync)
        if let failure { throw failure }
        return answers
    }

    /// The answer of one statement.
    private func answer() throws(PostgreSQLError) -> Answer {
        var answer = Answer()
        var failure: PostgreSQLError?
        while let result = unsafe try next() {
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK:
                answer.rows = unsafe rows(result)
                answer.changed = unsafe changed(result)
            case PGRES_COMMAND_OK: answer.changed = unsafe changed(result)
            case PGRES_PIPELINE_ABORTED: failure = failure ?? .transient("one before it failed")
            default: failure = unsafe error(result)
            }
        }
        if let failure { throw failure }
        return answer
    }

    private func rows(_ result: OpaquePointer) -> [SQLRow] {
        let columns = unsafe PQnfields(result)
        return unsafe (0..<PQntuples(result)).map { row in
            SQLRow(
                columns: (0..<columns).map { column in
                    if unsafe PQgetisnull(result, row, column) == 1 { return nil }
                    let length = unsafe Int(PQgetlength(result, row, column))
                    let bytes = unsafe UnsafeRawBufferPointer(
                        start: PQgetvalue(result, row, column), count: length)
                    return unsafe Array(bytes)
                })
        }
    }

    private func changed(_ result: OpaquePointer) -> Int {
        unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    private func error(_ result: OpaquePointer) -> PostgreSQLError {
        let field = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        let state = unsafe field.map { unsafe String(cString: $0) } ?? "08006"
        let primary = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "M")))
        let message = unsafe primary.map { unsafe String(cString: $0) } ?? message
        return PostgreSQLError(state: state, message)
    }

    /// The next result; `nil` at the end of a statement. Sends what is not sent yet meanwhile.
    private func next() throws(PostgreSQLError) -> OpaquePointer? {
        var silence = Duration.zero
        while true {
            let flushed = unsafe PQflush(connection)
            guard flushed >= 0 else { throw .lost(message) }
            let isBusy = unsafe PQisBusy(connection) == 1
            if flushed == 0 && !isBusy { break }
            if try wait(toWrite: flushed == 1) { silence = .zero }
            silence += .milliseconds(PostgreSQLConnection.lookTime)
            guard silence <= patience else { throw .lost("the server is silent") }
            guard unsafe PQconsumeInput(connection) == 1 else { throw .lost(message) }
        }
        guard let result = unsafe PQgetResult(connection) else {
            guard unsafe PQstatus(connection) == CONNECTION_OK else { throw .lost(message) }
            return nil
        }
        return unsafe result
    }

    /// Waits for the server, for a moment. Returns whether there is something.
    private func wait(toWrite: Bool) throws(PostgreSQLError) -> Bool {
        var waiting = pollfd(
            fd: descriptor, events: Int16(POLLIN | (toWrite ? POLLOUT : 0)), revents: 0)
        while true {
            let ready = unsafe poll(&waiting, 1, Int32(PostgreSQLConnection.lookTime))
            if ready >= 0 { return ready > 0 }
            guard errno == EINTR else { throw .lost("the connection cannot be read") }
        }
    }

    /// Whether the server has sent notifications since. Does not block.
    func takeNotifications() throws(PostgreSQLError) -> Bool {
        guard unsafe PQconsumeInput(connection) == 1 else { throw .lost(message) }
        var isNotified = false
        while let notification = unsafe PQnotifies(connection) {
            unsafe PQfreemem(notification)
            isNotified = true
        }
        return isNotified
    }
}
