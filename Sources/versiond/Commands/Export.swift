import ArgumentParser
import Documents
import Glibc
import Journaling

/// `versiond export`: all changes as lines of JSON.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print all changes as JSON lines; the daemon may run.",
        discussion: """
            Prints one line per change in the order of commits: document, revision, kind, actor, \
            time, label, patch, `chain` (the hash of the change and all changes before it) and \
            `bytes`, from which `versiond import` restores the change with the same chain. The \
            last line has their number, so that an import detects an incomplete file.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The documents to print; by default all.")
    var documents: [String] = []

    func run() async throws {
        let ids = try documents.map { name in
            guard let id = DocumentID(name) else {
                throw ValidationError("\(name) is not a valid document name")
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
            throw CannotRun.noInput("the document \(id) does not exist")
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
        abstract: "Store the changes of an export. The daemon must be stopped.",
        discussion: """
            Reads the lines of `versiond export` from standard input or from a file, and checks \
            each change against its chain before it stores it. An invalid change ends the import; \
            the changes before it are stored. The import skips changes that are already stored, \
            so it can be repeated, and a later export adds the new changes.
            """)

    @OptionGroup var choice: JournalChoice

    @Argument(help: "The file; by default standard input.")
    var file: String?

    func run() async throws {
        if let file {
            let input = unsafe open(file, O_RDONLY)
            guard input >= 0, dup2(input, STDIN_FILENO) >= 0 else {
                throw CannotRun.noInput("cannot read \(file)")
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
                "the export is incomplete: its last line is missing or has another number; "
                    + "\(importer.stored) changes stored, \(importer.known) already known")
        }
        print("\(importer.stored) changes stored, \(importer.known) already known")
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
            // The count excludes pending entries.
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
            throw .taken("another document has the name \(line.document)")
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
