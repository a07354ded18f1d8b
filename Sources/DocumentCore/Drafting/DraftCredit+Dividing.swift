import JSONTree
import Naming

// An edit that several authors made, as edits of one author each. Compacted, these are the edit
// again.

/// An edit of one author.
struct CreditedEdit {
    let edit: JSONEdit
    /// `nil` where that is not known.
    let author: Name?
}

extension DraftCredit {
    /// Whether several authors made it.
    var isDivided: Bool {
        pieces.contains { piece in
            piece.author != author || piece.stretches.contains { $0.author != author }
        }
    }

    /// An edit as edits of one author each: first what is around the work of other authors, then
    /// that work, from the outside in. An edit that leaves something else than `made`, which the
    /// credit is about, stays one.
    func divided(_ edit: JSONEdit, as made: JSONEdit) -> [CreditedEdit] {
        let whole = [CreditedEdit(edit: edit, author: author)]
        guard isDivided, edit.leavesTheSame(as: made) else { return whole }
        let found: [CreditedEdit]? =
            switch edit {
            case .add(let place, let value): divided(value, at: place) { .add(place, $0) }
            case .replace(let place, let old, let value):
                divided(value, at: place) { .replace(place, old: old, new: $0) }
            case .splice: divided(splice: edit)
            case .remove, .move: nil
            }
        return found ?? whole
    }

    /// A value without the work of other authors, and then that work.
    private func divided(
        _ value: JSON, at place: JSONPointer, _ edit: (JSON) -> JSONEdit
    ) -> [CreditedEdit]? {
        let authors = Dictionary(pieces.map { ($0.place, $0.author) }) { first, _ in first }
        var rest = value
        var later: [CreditedEdit] = []
        func take(_ removal: JSONEdit, of author: Name?) -> Bool {
            guard (try? rest.apply(removal)) != nil else { return false }
            let addition = ReversiblePatch([removal]).inverse.edits[0]
            later.append(CreditedEdit(edit: addition.under(place), author: author))
            return true
        }
        // From the last one on, so that the places of those before it hold.
        for piece in pieces.reversed() {
            if piece.stretches.contains(where: { $0.author != piece.author }) {
                guard let text = rest[piece.place]?.string,
                    let parts = piece.stretches.parts(of: text)
                else { return nil }
                var end = text.utf16.count
                for (stretch, bytes) in zip(piece.stretches, parts).reversed() {
                    end -= stretch.count
                    if stretch.author == piece.author { continue }
                    let removal = JSONEdit.splice(
                        piece.place, at: end, removed: bytes, inserted: [])
                    guard take(removal, of: stretch.author) else { return nil }
                }
            }
            guard let above = piece.place.parent else { continue }
            let around: Name? = above.nearest(in: authors) ?? author
            if piece.author == around { continue }
            guard let own = rest[piece.place], take(.remove(piece.place, own), of: piece.author)
            else { return nil }
        }
        return [CreditedEdit(edit: edit(rest), author: author)] + later.reversed()
    }

    /// The parts of an insertion into a text, one stretch per author.
    private func divided(splice edit: JSONEdit) -> [CreditedEdit]? {
        guard case .splice(let place, let start, let removed, let inserted, let isValue) = edit,
            let stretches = pieces.first?.stretches,
            let parts = stretches.parts(of: String(decoding: inserted, as: UTF8.self))
        else { return nil }
        var position = start
        return zip(stretches, parts).map { stretch, bytes in
            defer { position += stretch.count }
            return CreditedEdit(
                edit: .splice(
                    place, at: position, removed: position == start ? removed : [],
                    inserted: bytes, isValue: isValue),
                author: stretch.author)
        }
    }
}

extension [DraftCredit.Stretch] {
    /// The bytes of each stretch of a text; `nil` if they do not make the text.
    fileprivate func parts(of text: String) -> [[UInt8]]? {
        let units = Array<UInt16>(text.utf16)
        guard reduce(0, { $0 + $1.count }) == units.count else { return nil }
        var start = 0
        let parts = map { stretch in
            defer { start += stretch.count }
            let part = units[start..<(start + stretch.count)]
            return [UInt8](String(decoding: part, as: UTF16.self).utf8)
        }
        // A stretch does not end inside a character of two code units.
        return parts.joined().elementsEqual(text.utf8) ? parts : nil
    }
}

extension JSONPointer {
    /// The place around it; `nil` for the root.
    fileprivate var parent: JSONPointer? {
        tokens.isEmpty ? nil : JSONPointer(tokens: Array(tokens.dropLast()))
    }
}

extension JSONEdit {
    /// Whether both put the same value, or the same letters, somewhere.
    fileprivate func leavesTheSame(as other: JSONEdit) -> Bool {
        switch (self, other) {
        case (.splice(_, _, _, let mine, _), .splice(_, _, _, let theirs, _)): mine == theirs
        default: left != nil && left == other.left
        }
    }

    /// The value that it leaves at its place.
    private var left: JSON? {
        switch self {
        case .add(_, let value), .replace(_, _, let value): value
        case .remove, .move, .splice: nil
        }
    }
}
