public import Journaling

/// Where the history was cut, and the server that the daemons of the database knew last: the row 2
/// of `versiond_packing`, as `7340182/3 48213@17`.
struct DatabaseCuts: Equatable {
    /// `nil` from engines that do not report it.
    var server: PostgreSQLConnection.Server?
    var cuts: [HistoryCut]

    /// How often a daemon tries to store a cut while others store theirs.
    static let attemptsMax = 1_000

    init(server: PostgreSQLConnection.Server?, cuts: [HistoryCut]) {
        self.server = server
        self.cuts = cuts
    }

    init(_ bytes: [UInt8]) throws(PostgreSQLError) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1)
        let parts = words.first?.split(separator: "/").map { Int($0) } ?? []
        guard let cuts = HistoryCut.list(of: words.count > 1 ? words[1] : ""), parts.count == 2
        else { throw .corrupt("the cuts of the history cannot be read") }
        if let system = parts[0], let timeline = parts[1] {
            server = PostgreSQLConnection.Server(system: system, timeline: timeline)
        } else {
            server = nil
        }
        self.cuts = cuts
    }

    var bytes: [UInt8] {
        let server = server.map { "\($0.system)/\($0.timeline)" } ?? "-/-"
        let words = [server] + (cuts.isEmpty ? [] : [HistoryCut.text(of: cuts)])
        return Array(words.joined(separator: " ").utf8)
    }
}

extension PostgreSQLConnection {
    /// `nil` if no daemon that knows of cuts was connected before.
    func storedCuts() throws(PostgreSQLError) -> DatabaseCuts? {
        guard let row = try run([Command(.readCuts)])[0].rows.first else { return nil }
        return try DatabaseCuts(row.bytes(0))
    }

    /// Replaces `known` by `wanted`; `false` if another value is stored.
    func replace(
        _ known: DatabaseCuts?, with wanted: DatabaseCuts
    ) throws(PostgreSQLError) -> Bool {
        guard let known else {
            try run([Command(.makeCuts, [.bytes(wanted.bytes)])])
            return try storedCuts() == wanted
        }
        let answers = try run(
            [Command(.begin)] + opening
                + [
                    Command(.replaceCuts, [.bytes(wanted.bytes), .bytes(known.bytes)]),
                    Command(.commit),
                ])
        return !answers[answers.count - 2].rows.isEmpty
    }

    /// The cuts, after one more if the server is another one than the daemons knew last: it may
    /// lack what they had stored. Or if `isLost`: it does.
    func currentCuts(isLost: Bool = false) throws(PostgreSQLError) -> [HistoryCut] {
        let server = try server()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<DatabaseCuts.attemptsMax {
            let stored = try storedCuts()
            var wanted = DatabaseCuts(server: server, cuts: stored?.cuts ?? [])
            if isLost || stored.map({ $0.server != server }) ?? false {
                let last = try max(newest().last, packedOrderEnd())
                guard
                    let cuts = HistoryCut.adding(to: wanted.cuts, at: last, using: &generator)
                else { throw .refused(state: "54000", "the history was cut too often") }
                wanted.cuts = cuts
            }
            if stored == wanted { return wanted.cuts }
            if try replace(stored, with: wanted) { return wanted.cuts }
        }
        throw .corrupt("the cuts of the history cannot be replaced")
    }
}

extension PostgreSQLJournal {
    public var knownCuts: KnownCuts { watch.identity.cuts }

    public func setCuts(
        _ cuts: [HistoryCut], replacing known: [HistoryCut]
    ) throws(JournalError) -> Bool {
        let isStored = try reading { connection throws(PostgreSQLError) in
            let stored = try connection.storedCuts()
            guard stored?.cuts ?? [] == known else { return false }
            var wanted = DatabaseCuts(server: stored?.server, cuts: cuts)
            if stored == nil { wanted.server = try connection.server() }
            return try connection.replace(stored, with: wanted)
        }
        if isStored { knownCuts.note(cuts, insteadOf: known) }
        return isStored
    }
}
