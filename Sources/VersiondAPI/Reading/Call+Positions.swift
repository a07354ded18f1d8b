import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming
import SelectiveUndo

// Positions in the order of commits, which address a state of every document.

extension Call {
    /// The state of a document that an address leads to: of the one that the path names, unless
    /// another one is given. Blocks, if it is a position.
    func state(
        _ address: Address, about id: DocumentID? = nil
    ) throws(Problem) -> StateAddress {
        if case .state(let state) = address {
            return try meaning(about: id) { numbering throws(ChangeError) in
                try numbering.state(state)
            }
        }
        guard let id = id ?? match?.document, let position = try position(of: address) else {
            return .head
        }
        let revision = try lastRevision(of: id, upTo: position)
        if revision < 0 { throw problem(.notYet, about: id) }
        return .revision(revision)
    }

    /// The state that a member of a body names, if there is one.
    func state(
        in body: JSON, _ name: String, about id: DocumentID? = nil
    ) throws(Problem) -> StateAddress? {
        guard let address = body.address(name) else { return nil }
        return try state(address, about: id)
    }

    /// The bound at an address in a document. Blocks.
    func bound(
        at address: Address, in head: Document, _ past: DocumentPast
    ) throws(Problem) -> ChangeSelection.Bound {
        if let position = try position(of: address) {
            return .revision(try lastRevision(of: head.id, upTo: position))
        }
        let state = try state(address, about: head.id)
        // A time bounds as it is, though it may be before the document.
        if case .time(let time) = state { return .time(time) }
        do throws(ChangeError) { return .revision(try state.revision(head, past)) } catch {
            throw problem(error, about: head.id)
        }
    }

    /// The position that an address names; `nil` if it names a state of a document.
    func position(of address: Address) throws(Problem) -> Int? {
        switch address {
        case .state: return nil
        case .position(let shown):
            let position = try position(shown)
            guard position <= points?.last ?? 0 else {
                throw Problem(.unknownRevision, "The position \(shown) does not exist.")
            }
            return position
        case .restorePoint(let name): return try restorePoint(name).position
        }
    }

    /// A restore point that the request names.
    func restorePoint(_ name: Name) throws(Problem) -> RestorePoint {
        try checkReach(ofPoint: name)
        guard let point = points?.named[name] else { throw Problem(unknownRestorePoint: name) }
        return point
    }

    /// Throws if the client may not speak of a restore point.
    func checkReach(ofPoint name: Name) throws(Problem) {
        guard grant.covers(name.text) else { throw Problem(outOfReach: grant) }
    }

    /// A selection in a document, where a position is a revision. Blocks, if it has positions.
    func selection(
        _ selection: SelectionOfMany, in document: DocumentID
    ) throws(Problem) -> ChangeSelection {
        guard let points else {
            guard selection.since == nil, selection.until == nil else {
                throw Problem(malformed: "/all", "The positions cannot be read.")
            }
            return selection.criteria(in: document)
        }
        do throws(ChangeError) {
            return try points.store.selection(selection, in: document)
        } catch {
            throw problem(error, about: document)
        }
    }

    private func lastRevision(of id: DocumentID, upTo position: Int) throws(Problem) -> Int {
        guard let points else { return -1 }
        do throws(ChangeError) {
            return try points.store.lastRevision(of: id, upTo: position)
        } catch {
            throw problem(error, about: id)
        }
    }
}

/// The positions that a request names, looked up before it is carried out.
struct NamedPoints: Sendable {
    let store: DocumentStore
    /// The last commit.
    let last: Int
    /// The restore points that there are, of those that it names.
    let named: [Name: RestorePoint]
    /// Positions between parts of a transaction, each with the one before all parts.
    let uncut: [Int: Int]

    /// The limit on restore points, and on positions, that are looked up for one request.
    static let countMax = 128
}

extension DocumentsAPI {
    /// Looks up the restore points that a request names.
    func points(namedIn call: Call) async throws(Problem) -> NamedPoints {
        var named: [Name: RestorePoint] = [:]
        var uncut: [Int: Int] = [:]
        let last = try await call.found(await store.lastSequence(reaching: .max))
        let marks = call.positionMarks
        for name in marks.points where call.grant.covers(name.text) {
            named[name] = try await call.found(await store.restorePoint(name))
        }
        for shown in marks.positions {
            guard let position = try? call.position(shown), position < last else { continue }
            uncut[position] = try await call.found(try store.uncut(position))
        }
        return NamedPoints(store: store, last: last, named: named, uncut: uncut)
    }
}

extension Call {
    /// Whether its query or its command may name a position.
    var mayNamePositions: Bool {
        if head.target.query.contains(where: { Call.marksPosition(Array($0.value.utf8)) }) {
            return true
        }
        guard let endpoint = match?.path.endpoint(method), endpoint.body.schema != nil else {
            return false
        }
        return Call.marksPosition(bytes)
    }

    /// Each address of a position has a colon behind one of these.
    private static let marks = [Array("restore-point".utf8), Array("cursor".utf8)]

    private static func marksPosition(_ bytes: [UInt8]) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: ":"):
                if marks.contains(where: { bytes[..<index].ends(with: $0) }) { return true }
            case UInt8(ascii: "u"):
                // An escape may write a letter of an address.
                if index > 0, bytes[index - 1] == UInt8(ascii: "\\") { return true }
            default: continue
            }
        }
        return false
    }

    /// The restore points and positions whose addresses are in the query, or in a text of the body.
    fileprivate var positionMarks: PositionMarks {
        var marks = PositionMarks()
        for (_, value) in head.target.query { marks.note(value) }
        if match?.path.endpoint(method)?.body.schema != nil,
            let body = try? JSON(parsing: bytes, limits: limits.json)
        {
            marks.note(body)
        }
        return marks
    }
}

/// The addresses of positions in a request.
private struct PositionMarks {
    private(set) var points: Set<Name> = []
    /// As the client sees them.
    private(set) var positions: Set<Int> = []

    mutating func note(_ value: JSON) {
        if let text = value.string { note(text) }
        for member in value.members ?? [] { note(member.value) }
        for element in value.elements ?? [] { note(element) }
    }

    /// In `copyOf`, an address follows the name of a document.
    mutating func note(_ text: String) {
        if points.count < NamedPoints.countMax, let range = text.range(ofBytes: Address.pointMark) {
            points.insert(Name(String(text[range.upperBound...])))
        }
        if positions.count < NamedPoints.countMax,
            case .position(let shown)? = try? Address(text, named: "")
        {
            positions.insert(shown)
        }
    }
}

extension Collection<UInt8> where Self: BidirectionalCollection {
    fileprivate func ends(with end: [UInt8]) -> Bool {
        suffix(end.count).elementsEqual(end)
    }
}

extension String {
    /// Where a text occurs first, compared as bytes.
    fileprivate func range(ofBytes text: String) -> Range<Index>? {
        utf8.indices.lazy.compactMap { start -> Range<Index>? in
            guard self.utf8[start...].starts(with: text.utf8) else { return nil }
            return start..<self.utf8.index(start, offsetBy: text.utf8.count)
        }.first
    }
}

extension Call {
    /// The time or the position at an address in many documents, which have nothing else in common.
    /// `hint`: how it is written; by default in a query.
    func boundOfMany(
        _ address: Address?, _ name: String, hint: String? = nil
    ) throws(Problem) -> (time: Timestamp?, position: Int?) {
        switch address {
        case nil: return (nil, nil)
        case .state(.time(let time)): return (time, nil)
        case .position(let shown)?:
            let position = try position(of: .position(shown))
            return (nil, position.map { points?.uncut[$0] ?? $0 })
        case .restorePoint(let name)?: return (nil, try restorePoint(name).position)
        case .state?:
            throw Problem(
                .malformedRequest,
                "For several documents, \(name) must be a time, restore-point:NAME or cursor:N.",
                hint: hint ?? "Example: \(name)=2026-01-31T12:00:00Z. In a query, + is %2B.")
        }
    }
}
