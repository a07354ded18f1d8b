import Glibc
import Journaling
import Threading

/// Tracks the end of the journal, including the writes of other daemons.
///
/// A thread with a connection of its own asks for the last number: when a daemon notifies it
/// (`NOTIFY`), and now and then, because notifications can be lost. So they only save time.
final class PostgreSQLWatch: Sendable {
    private struct State {
        var last: Int
        /// Others do not know yet what was committed here.
        var isNews = false
        var isStopped = false
        var fault: PostgreSQLError?
        /// Why nothing can be stored, although the database can be reached.
        var lack: JournalError?
        /// When something was stored, or it was tried, last.
        var triedAt: Duration?
        var reconnects = 0
        /// The time of the server's clock, and when it was read.
        var clock: (time: Duration, at: Duration)?
        var isWaitingOver = false
    }

    private let address: PostgreSQLAddress
    private let patience: Duration
    let identity = DatabaseIdentity()
    private let now: @Sendable () -> Duration
    private let state: Lock<State>
    /// Two ends of a socket: what is written to the bell wakes the thread.
    private let (wake, bell): (Int32, Int32)
    private let thread = Lock<WorkerThread?>(nil)
    /// Whether words arrive here. Behind a pooler that gives each transaction another session they
    /// do not.
    let isListening: Bool

    /// In milliseconds: the pause between queries while notifications arrive, and the least and the
    /// most without.
    private static let pauses = (listening: 1_000, least: 10, most: 500)
    /// The minimum interval of queries, so that one query covers many commits.
    private static let pace = Duration.milliseconds(2)
    /// How long it is believed that changes can be stored.
    private static let trialInterval = Duration.seconds(2)
    /// How often the server's clock is read.
    private static let clockInterval = Duration.seconds(1)
    /// How long an answer about the time may take.
    private static let clockTime = Duration.milliseconds(500)
    /// How long a word may take to arrive when it is tried.
    private static let proofTime = 500

    /// `connection` is another one, to try whether words arrive.
    init(
        _ address: PostgreSQLAddress, beside connection: PostgreSQLConnection, patience: Duration,
        now: @escaping @Sendable () -> Duration
    ) throws(PostgreSQLError) {
        self.address = address
        self.patience = patience
        self.now = now
        try identity.check(connection)
        let newest = try connection.newest()
        try identity.note(newest, known: 0, on: connection)
        state = Lock(State(last: newest.last))
        var ends: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        guard unsafe socketpair(AF_UNIX, Int32(kind), 0, &ends) == 0 else {
            throw .unreachable("no descriptors left")
        }
        (wake, bell) = (ends[0], ends[1])
        isListening = PostgreSQLWatch.prove(address, connection)
        try readClock(of: connection)
    }

    deinit {
        close(wake)
        close(bell)
    }

    private static func prove(
        _ address: PostgreSQLAddress, _ connection: PostgreSQLConnection
    ) -> Bool {
        do throws(PostgreSQLError) {
            let listener = try PostgreSQLConnection(address, isPreparing: false)
            try listener.run([.init(.listen)])
            try connection.run([.init(.notify)])
            var ready = pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&ready, 1, Int32(proofTime)) > 0 else { return false }
            return try listener.takeNotifications()
        } catch {
            // An engine that does not know these words.
            return false
        }
    }

    // MARK: The known end

    /// Why the database cannot be reached, or nothing can be stored there, at the moment.
    var fault: JournalError? {
        identity.loss ?? state.withLock { $0.fault?.asJournalError ?? $0.lack }
    }

    /// Nothing can be stored, until it is found out that something can.
    func note(lack: JournalError) { state.withLock { $0.lack = lack } }

    var reconnects: Int { state.withLock { $0.reconnects } }

    /// The last number that is known.
    var last: Int { state.withLock { $0.last } }

    /// The journal reaches this number.
    func note(_ last: Int) {
        let isMore = state.withLock { state in
            defer { state.last = max(state.last, last) }
            return last > state.last
        }
        if isMore { state.signal() }
    }

    /// Records the journal's last number, with the one that was known before the query.
    func note(
        _ newest: PostgreSQLConnection.StoredBatch, known: Int, on connection: PostgreSQLConnection
    ) throws(PostgreSQLError) {
        try identity.note(newest, known: known, on: connection)
        note(newest.last)
    }

    /// The same, and others do not know it yet.
    func committed(_ last: Int) {
        note(last)
        let time = now()
        state.withLock { state in
            state.isNews = true
            state.lack = nil
            state.triedAt = time
        }
        ring()
    }

    /// Waits for an entry after a number. Returns `false` after `stopWaiting`.
    func await(after sequence: Int) -> Bool {
        state.wait { state in
            if state.isWaitingOver { return false }
            return state.last > sequence ? true : nil
        }
    }

    func stopWaiting() {
        state.withLock { $0.isWaitingOver = true }
        state.signal()
    }

    /// The time of the server's clock, if known.
    var time: Duration? {
        let now = now()
        return state.withLock { $0.clock }.map { $0.time + (now - $0.at) }
    }

    private var isClockOld: Bool {
        let now = now()
        return state.withLock { $0.clock.map { now - $0.at >= PostgreSQLWatch.clockInterval } }
            ?? true
    }

    /// Reads the server's clock. An answer that took long says little.
    private func readClock(of connection: PostgreSQLConnection) throws(PostgreSQLError) {
        let before = now()
        guard let time = try connection.time() else { return }
        let after = now()
        state.withLock { state in
            guard after - before < PostgreSQLWatch.clockTime || state.clock == nil else { return }
            state.clock = (time, before + (after - before) / 2)
        }
    }

    // MARK: The thread

    func start() {
        thread.withLock { $0 = WorkerThread(name: "watch") { [self] in run() } }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        stopWaiting()
        ring()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    private func ring() {
        // If it is full, the thread will wake up anyway.
        var byte: UInt8 = 1
        _ = unsafe write(bell, &byte, 1)
    }

    private func run() {
        var connection: PostgreSQLConnection?
        var pause = PostgreSQLWatch.pauses.least
        var looked = Duration.zero - PostgreSQLWatch.pace
        while !state.withLock({ $0.isStopped }) {
            do throws(PostgreSQLError) {
                if connection == nil { connection = try connected() }
                guard let current = connection else { continue }
                keepPace(after: looked)
                looked = now()
                let isNew = try look(with: current)
                state.withLock { $0.fault = nil }
                if isTimeToTry { try tryToStore(with: current) }
                pause = nextPause(pause, isNew: isNew)
                try wait(for: current, milliseconds: pause)
            } catch {
                connection = nil
                state.withLock {
                    $0.fault = error
                    $0.reconnects += 1
                }
                pause = min(PostgreSQLWatch.pauses.most, pause * 2)
                wait(milliseconds: pause)
            }
        }
    }

    private func keepPace(after looked: Duration) {
        let rest = PostgreSQLWatch.pace - (now() - looked)
        if rest > .zero { usleep(UInt32(rest / .microseconds(1))) }
    }

    private func connected() throws(PostgreSQLError) -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(
            address, isPreparing: isListening, patience: patience)
        try connection.begin()
        try identity.check(connection)
        if isListening { try connection.run([.init(.listen)]) }
        return connection
    }

    /// Notifies other daemons of new entries and asks for the last number. Returns whether it is
    /// new.
    private func look(with connection: PostgreSQLConnection) throws(PostgreSQLError) -> Bool {
        let isNews = state.withLock { state in
            defer { state.isNews = false }
            return state.isNews && isListening
        }
        if isNews { try connection.run([.init(.notify)]) }
        let before = last
        try note(try connection.newest(), known: before, on: connection)
        if isClockOld {
            try readClock(of: connection)
            // An operator may have cut it.
            let known = identity.cuts.list
            if let stored = try connection.storedCuts() {
                identity.cuts.note(stored.cuts, insteadOf: known)
            }
        }
        return last > before
    }

    /// Whether it is not known from a change of late that changes can be stored.
    private var isTimeToTry: Bool {
        let time = now()
        return state.withLock { state in
            state.triedAt.map { time - $0 >= PostgreSQLWatch.trialInterval } ?? true
        }
    }

    /// Finds out whether a change could be stored.
    private func tryToStore(with connection: PostgreSQLConnection) throws(PostgreSQLError) {
        var lack: JournalError?
        do throws(PostgreSQLError) {
            try connection.tryToStore()
        } catch {
            switch error {
            case .lost, .unreachable, .lostHistory: throw error
            // Others were writing.
            case .transient, .locked: return
            case .full, .readOnly, .refused, .corrupt: lack = error.asJournalError
            }
        }
        let time = now()
        state.withLock { state in
            state.lack = lack
            state.triedAt = time
        }
    }

    private func nextPause(_ pause: Int, isNew: Bool) -> Int {
        if isListening { return PostgreSQLWatch.pauses.listening }
        if isNew { return PostgreSQLWatch.pauses.least }
        return min(PostgreSQLWatch.pauses.most, pause + max(1, pause / 4))
    }

    /// Waits until the server notifies, this process rings, or the time is over.
    private func wait(
        for connection: PostgreSQLConnection, milliseconds: Int
    ) throws(PostgreSQLError) {
        // Notifications that arrived with the last response are no longer on the socket.
        if try connection.takeNotifications() { return }
        var ready = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = unsafe poll(&ready, nfds_t(ready.count), Int32(milliseconds))
        quiet()
        if ready[1].revents != 0 { _ = try connection.takeNotifications() }
    }

    private func wait(milliseconds: Int) {
        var ready = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&ready, 1, Int32(milliseconds))
        quiet()
    }

    private func quiet() {
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = unsafe read(wake, &bytes, bytes.count)
    }
}
