import ArgumentParser
import Documents
import Glibc
import Journaling

/// `versiond export`: all changes as lines of JSON.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print all changes as JSON lines, also while the daemon runs.",
        discussion: """
            One line for each change, in the order in which they were stored: document, revision, \
            kind, actor, time, label, patch; `chain`, which proves it and all before it; and \
            `bytes`, from which `versiond import` makes it again elsewhere, with the same chain. \
            The last line counts them, so that an import notices when the rest is missing.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "Documents to print; all if none is named.")
    var documents: [String] = []

    func run() async throws {
        let ids = try documents.map { name in
            guard let id = DocumentID(name) else {
                throw ValidationError("\(name) is no document's name")
            }
            return id
        }
        var count = 0
        try choice.reading { journal in
            if ids.isEmpty { try exportAll(journal, &count) }
            for id in ids { try export(id, journal, &count) }
        }
        print(Transfer.end(changes: count))
    }

    private func exportAll(_ journal: any Journal, _ count: inout Int) throws {
        var position = 0
        while position < journal.lastSequence {
            let page = try Export.taken(
                try Transfer.page(journal, after: position, upTo: journal.lastSequence))
            print(String(decoding: page.bytes, as: UTF8.self), terminator: "")
            position = page.end
            count += page.count
        }
    }

    private func export(_ id: DocumentID, _ journal: any Journal, _ count: inout Int) throws {
        guard try journal.head(of: id) != nil else {
            throw CannotRun.noInput("there is no document \(id)")
        }
        var next = 0
        while true {
            let entries = try journal.entries(of: id, from: next, limit: 1_000)
            for entry in entries {
                print(try Export.taken(try Transfer.line(entry)))
            }
            count += entries.count
            guard let last = entries.last else { return }
            next = last.revision + 1
        }
    }

    private static func taken<Value>(
        _ body: @autoclosure () throws(Transfer.Refusal) -> Value
    ) throws -> Value {
        do throws(Transfer.Refusal) { return try body() } catch {
            if case .journal(let error) = error { throw error }
            throw CannotRun.damaged(error.reason)
        }
    }
}

/// `versiond import`: changes of an export, in this data directory.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Store the changes of an export. Needs a stopped daemon.",
        discussion: """
            Reads the lines of `versiond export` from standard input, or from a file. Each change \
            is checked against its chain before it is stored; the first that does not fit ends it, \
            and those before it are there. What is there already is passed over: so an import that \
            was ended early can be done again, and a later export brings what is new.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The file; standard input if none is named.")
    var file: String?

    func run() async throws {
        if let file {
            let input = unsafe open(file, O_RDONLY)
            guard input >= 0, dup2(input, STDIN_FILENO) >= 0 else {
                throw CannotRun.noInput("\(file) cannot be read")
            }
        }
        try choice.writing(mayCreate: true) { try take(into: $0) }
    }

    private func take(into journal: any Journal) throws {
        var importer = Importer(journal)
        while let line = readLine() {
            do throws(Transfer.Refusal) {
                try importer.take(line)
            } catch {
                try? importer.store()
                throw CannotRun.damaged("line \(importer.lines): \(error.reason)")
            }
        }
        do throws(Transfer.Refusal) { try importer.store() } catch {
            throw CannotRun.system(error.reason)
        }
        guard importer.isComplete else {
            throw CannotRun.damaged(
                "the export is cut off: its last line is missing, or counts others; "
                    + "\(importer.stored) changes are stored, \(importer.known) were there already")
        }
        print("\(importer.stored) changes stored, \(importer.known) were there already")
    }
}

/// Stores lines, many in one commit.
private struct Importer {
    private let journal: any Journal
    private var heads: [DocumentID: JournalHead] = [:]
    private var waiting: [JournalEntry] = []
    private var bytes = 0
    private(set) var lines = 0
    private(set) var stored = 0
    private(set) var known = 0

    private static let entriesMax = 1_000
    private static let bytesMax = 8 << 20

    init(_ journal: any Journal) {
        self.journal = journal
    }

    /// Whether the last line said that these are all.
    private(set) var isComplete = false

    mutating func take(_ text: String) throws(Transfer.Refusal) {
        lines += 1
        // A download has empty lines where the daemon was busy.
        if text.isEmpty { return }
        if let count = Transfer.count(inEnd: text) {
            // What waits is not yet counted.
            isComplete = stored + waiting.count + known == count
            return
        }
        isComplete = false
        let line = try Transfer.Line(text)
        var head = heads[line.document]
        if head == nil { head = try stored(try journal.head(of: line.document)) }
        if let head, line.revision <= head.revision { return try compare(line) }
        let entry = try line.entry(following: head)
        heads[entry.document] = JournalHead(revision: entry.revision, chain: entry.chain)
        waiting.append(entry)
        bytes += entry.body.count
        if waiting.count >= Importer.entriesMax || bytes >= Importer.bytesMax { try store() }
    }

    /// A change that is there already must be the same.
    private mutating func compare(_ line: Transfer.Line) throws(Transfer.Refusal) {
        try store()
        let there = try stored(
            try journal.entries(of: line.document, from: line.revision, limit: 1))
        guard let entry = there.first, line.isEntry(entry) else {
            throw .taken("there is another document \(line.document)")
        }
        known += 1
    }

    private func stored<Value>(
        _ body: @autoclosure () throws(JournalError) -> Value
    ) throws(Transfer.Refusal) -> Value {
        do throws(JournalError) { return try body() } catch { throw .journal(error) }
    }

    /// Stores what waits.
    mutating func store() throws(Transfer.Refusal) {
        do throws(JournalError) { try commit() } catch { throw .journal(error) }
    }

    private mutating func commit() throws(JournalError) {
        if waiting.isEmpty { return }
        let fates = try journal.commit(JournalBatch(entries: waiting))
        guard fates.allSatisfy(\.isStored) else { throw .conflict }
        stored += waiting.count
        (waiting, bytes, heads) = ([], 0, [:])
    }
}
