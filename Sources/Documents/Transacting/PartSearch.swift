import DocumentCore
import Journaling

/// Finds where parts of transactions are now: their documents may have been renamed since.
///
/// A part is in the document of its name as long as the life with it continues there; otherwise in
/// the document to which that was renamed. Each document is read once.
struct PartSearch: Sendable {
    /// The place of each part, as far as it was followed.
    private(set) var places: [DocumentRevision]
    /// The first part of each one's transaction, by which a part is recognized.
    private let leaders: [DocumentRevision]
    private let journal: any Journal
    /// How many of the parts are found.
    private var count = 0
    private var lives: [DocumentID: Life] = [:]

    init(_ parts: [(place: DocumentRevision, leader: DocumentRevision)], _ journal: any Journal) {
        places = parts.map(\.place)
        leaders = parts.map(\.leader)
        self.journal = journal
    }

    /// The next document to read; `nil` if all parts are found. Blocks.
    mutating func nextDocument() -> DocumentID? {
        while count < places.count {
            let place = places[count]
            guard let life = lives[place.document] else { return place.document }
            if let next = successor(of: place, life), isPart(next, of: leaders[count]) {
                places[count] = next
            } else {
                count += 1
            }
        }
        return nil
    }

    /// Records the present state of a document; `nil` if it cannot be read.
    mutating func note(_ head: Document?, of id: DocumentID) {
        lives[id] = Life(head)
    }

    /// The same place under the name that its document was given next.
    private mutating func successor(of place: DocumentRevision, _ life: Life) -> DocumentRevision? {
        guard let first = life.firstRename(after: place.revision) else { return nil }
        if life.readFrom.map({ $0 > first }) ?? true {
            let past = DocumentPast(place.document, journal)
            lives[place.document]?.renames = (try? past.renames(from: first)) ?? []
            lives[place.document]?.readFrom = first
        }
        let rename = lives[place.document]?.renames.first { $0.revision > place.revision }
        return rename.map { DocumentRevision($0.name, place.revision) }
    }

    private func isPart(_ place: DocumentRevision, of leader: DocumentRevision) -> Bool {
        let change = try? DocumentPast(place.document, journal).change(at: place.revision)
        return change?.transaction?.leader == leader
    }
}

/// The present state of a document, as far as it shows where its parts are.
private struct Life {
    private let life: Document.Life
    private let birth: Int
    private let revision: Int
    /// Where the document was renamed, as far as that was read.
    var renames: [(revision: Int, name: DocumentID)] = []
    var readFrom: Int?

    init(_ head: Document?) {
        life = head?.life ?? .unborn
        birth = head?.birth ?? 0
        revision = head?.revision ?? 0
    }

    /// The first revision at which the life of a revision may have been renamed; `nil` if it was
    /// not, because it continues.
    func firstRename(after place: Int) -> Int? {
        switch life {
        case .unborn: nil
        case .alive: birth > place ? place + 1 : nil
        case .deleted: birth > place ? place + 1 : revision
        // An erased document does not know its lives.
        case .purged: place + 1
        }
    }
}

extension DocumentPast {
    /// Where the document was renamed, from a revision on, and to which names. O(changes since
    /// then). Blocks.
    fileprivate func renames(
        from revision: Int
    ) throws(ChangeError) -> [(revision: Int, name: DocumentID)] {
        var renames: [(revision: Int, name: DocumentID)] = []
        var next = revision
        do throws(JournalError) {
            while true {
                let page = try journal.entries(of: id, from: next, limit: 1_000)
                guard let last = page.last else { return renames }
                for entry in page where entry.lifecycle == .ends {
                    let change = try? Change(decoding: entry.body, revision: entry.revision)
                    if let name = change?.renamedTo { renames.append((entry.revision, name)) }
                }
                next = last.revision + 1
            }
        } catch {
            throw .journal(error)
        }
    }
}

// MARK: Looking parts up

extension DocumentStore {
    /// Of each change, the parts of its transaction where they are now, in the order of their
    /// numbers; itself alone in a copy of a document, and none if it is a part of none. Blocks.
    func parts(
        of changes: [DocumentRevision]
    ) async throws(ChangeError) -> [[DocumentRevision]] {
        guard isOpen else { throw DocumentStore.closed }
        var parts: [(place: DocumentRevision, leader: DocumentRevision)] = []
        var counts: [Int] = []
        for place in changes {
            let change = try DocumentPast(place.document, journal).change(at: place.revision)
            let leader = change.transaction?.leader ?? place
            // Where it is itself shows whether it is one of them.
            let all = change.transaction == nil ? [] : [place] + change.namedParts(in: journal)
            parts += all.map { (place: $0, leader: leader) }
            counts.append(all.count)
        }
        var search = PartSearch(parts, journal)
        while let id = search.nextDocument() {
            search.note(try? await past(of: id).head, of: id)
        }
        var rest = search.places[...]
        return zip(changes, counts).map { change, count in
            let group = rest.prefix(count)
            rest = rest.dropFirst(count)
            guard let place = group.first else { return [] }
            let parts = Array(group.dropFirst())
            return parts.contains(place) ? parts : [change]
        }
    }
}

extension Change {
    /// The parts of its transaction by the names that their documents had then; none if it is a
    /// part of none. Blocks.
    func namedParts(in journal: any Journal) -> [DocumentRevision] {
        guard let transaction else { return [] }
        if transaction.number == 1 { return transaction.parts }
        let leader = transaction.leader
        let first = try? DocumentPast(leader.document, journal).change(at: leader.revision)
        return first?.transaction?.parts ?? []
    }
}
