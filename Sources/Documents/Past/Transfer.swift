import DocumentCore
import Hashing
import JSONTree
public import Journaling
import Naming

/// A journal as lines of JSON, one for each change: to read, to keep, and to bring it elsewhere.
///
/// A line has the change for people and programs, and its bytes. The bytes are what is stored when
/// the line is read again, so that the chain is the same elsewhere; a line in which the rest says
/// something else is refused.
public enum Transfer {
    /// Why a line is not taken.
    public enum Refusal: Error, Equatable, Sendable {
        /// It is not a line of an export.
        case malformed(String)
        /// The change is not the one that was exported, or changes before it are missing.
        case damaged(String)
        /// There is another document of this name.
        case taken(String)
        /// The journal did not take it.
        case journal(JournalError)

        /// The reason, as people read it.
        public var reason: String {
            switch self {
            case .malformed(let reason), .damaged(let reason), .taken(let reason): reason
            case .journal(let error): "\(error)"
            }
        }
    }

    /// An entry as a line, without an end.
    public static func line(_ entry: JournalEntry) throws(Refusal) -> String {
        let change: Change
        do { change = try Change(decoding: entry.body, revision: entry.revision) } catch {
            throw .damaged("\(entry.document) cannot be read at revision \(entry.revision)")
        }
        return "{\"document\":\(JSON(entry.document.name)),\(change.members)"
            + ",\"chain\":\"\(entry.chain.bytes.hexadecimal)\""
            + ",\"bytes\":\"\(entry.body.hexadecimal)\"}"
    }

    /// The last line, without an end: an export that was cut off has none.
    public static func end(changes: Int) -> String { "{\"end\":true,\"changes\":\(changes)}" }

    /// The number of changes that the last line of an export counts; `nil` if it is another line.
    public static func count(inEnd text: String) -> Int? {
        guard text.hasPrefix("{\"end\""), let json = try? JSON(parsing: Array(text.utf8)),
            json["end"]?.bool == true
        else { return nil }
        return json["changes"]?.int
    }

    /// A page of an export: lines of the entries committed after a number, up to another one.
    public static func page(
        _ journal: any Journal, after sequence: Int, upTo last: Int
    ) throws(Refusal) -> ExportPage {
        let page: JournalPage
        do {
            page = try journal.entries(after: sequence, upTo: last, prefix: "", limit: pageSize)
        } catch {
            throw .journal(error)
        }
        var text = ""
        var count = 0
        for (_, entry) in page.entries {
            text += try line(entry) + "\n"
            count += 1
        }
        return ExportPage(bytes: Array(text.utf8), count: count, end: min(last, page.end))
    }

    private static let pageSize = 256

    /// The document and revision of a line's change, and its bytes.
    public struct Line: Sendable {
        public let document: DocumentID
        public let revision: Int
        let body: [UInt8]
        let chain: String
        private let lifecycle: JournalEntry.Lifecycle

        /// Reads a line.
        public init(_ text: String) throws(Refusal) {
            // Stored entries are accepted, whatever the limits are here.
            let json = try? JSON(parsing: Array(text.utf8), limits: .stored)
            guard let json, let name = json["document"]?.string,
                let document = DocumentID(name), let revision = json["revision"]?.int,
                let chain = json["chain"]?.string,
                let body = json["bytes"]?.string.flatMap({ [UInt8](hexadecimal: $0) })
            else { throw .malformed("this is not a line of an export") }
            self.document = document
            self.revision = revision
            self.chain = chain
            self.body = body
            guard let change = try? Change(decoding: body, revision: revision) else {
                throw .damaged("revision \(revision) of \(document) cannot be read")
            }
            lifecycle = change.kind.traits.lifecycle
            if let member = change.difference(from: json) {
                throw .damaged(
                    "\(member) is not what the bytes of revision \(revision) of \(document) say; "
                        + "a change cannot be edited")
            }
        }

        /// The entry, if it follows that head and is the one that was exported.
        public func entry(following head: JournalHead?) throws(Refusal) -> JournalEntry {
            let next = (head?.revision ?? -1) + 1
            guard revision == next else {
                throw .damaged("revision \(next) of \(document) is missing before \(revision)")
            }
            let entry = JournalEntry(
                document: document, revision: revision, body: body,
                following: head?.chain ?? .start, lifecycle: lifecycle)
            guard isEntry(entry) else {
                throw .damaged("revision \(revision) of \(document) is not what was exported")
            }
            return entry
        }

        /// Whether an entry is the one that was exported.
        public func isEntry(_ entry: JournalEntry) -> Bool {
            entry.chain.bytes.hexadecimal == chain
        }
    }
}

/// A part of an export.
public struct ExportPage: Sendable {
    /// Lines, each with its end.
    public let bytes: [UInt8]
    /// How many.
    public let count: Int
    /// Up to this number in the order of commits everything is in it.
    public let end: Int
}

extension Change {
    /// The members of a change in an export.
    private static let exported = ["revision", "kind", "actor", "time", "label", "patch"]

    /// The first member of an export's line that is not what the change is; `nil` if all are.
    fileprivate func difference(from line: JSON) -> String? {
        let known = try? JSON(parsing: Array("{\(members)}".utf8), limits: .stored)
        return Change.exported.first { known?[$0] != line[$0] }
    }
}
