import JSONTree
import Naming
import SelectiveUndo

// The authors of a draft's edits that a merge takes or leaves.

/// The authors of one edit of a draft.
struct DraftCredit: Sendable {
    /// The part of an edit's value that one actor made.
    struct Piece: Sendable {
        /// From the place of the edit on.
        let place: JSONPointer
        let author: Name?
        /// Of a text with several authors: its stretches, in UTF-16 code units.
        let stretches: [Stretch]
    }

    struct Stretch: Sendable, Equatable {
        let count: Int
        let author: Name?
    }

    /// The author of the value as a whole; `nil` if unknown.
    var author: Name?
    /// All who made something of it; where it is not known who of several did, these.
    var all: Set<Name> = []
    /// The parts of the value that other actors made, in order. A text edit has one for each
    /// stretch of its insertion.
    var pieces: [Piece] = []
}

/// Whom the edits of a draft are credited to: those that are merged, and the rest.
struct DraftCredits: Sendable {
    let chosen: [DraftCredit]
    let rest: [DraftCredit]

    /// It is not known which of these authors made which edit, as where places are ignored.
    init(unknown split: NetEdit, among all: [Name]) {
        let credit = DraftCredit(all: Set(all))
        chosen = split.chosen.edits.map { _ in credit }
        rest = split.rest.edits.map { _ in credit }
    }

    init(chosen: [DraftCredit], rest: [DraftCredit]) {
        self.chosen = chosen
        self.rest = rest
    }
}

extension DraftComparison {
    /// Whom each edit is credited to. `revisions`: the changes that what was chosen is; `nil` where
    /// it was chosen by places.
    func credits(_ split: NetEdit, of revisions: Set<Int>?) -> DraftCredits {
        let unknown = DraftCredits(unknown: split, among: ahead.authors { _ in true })
        guard let line = ahead.story else { return unknown }
        if let author = ahead.onlyAuthor {
            let credit = DraftCredit(author: author, all: [author])
            return DraftCredits(
                chosen: split.chosen.edits.map { _ in credit },
                rest: split.rest.edits.map { _ in credit })
        }
        let found =
            try? revisions.map { try credits(split, of: $0, line) }
            ?? credits(split, line)
        return found ?? unknown
    }

    /// Of changes: each state is on the line.
    private func credits(
        _ split: NetEdit, of revisions: Set<Int>, _ line: EffectHistory
    ) throws(EffectHistory.Diverged) -> DraftCredits {
        var tree = draft.tree
        let middle = try line.only({ revisions.contains($0) }, on: &tree)
        var common = tree
        let start = try middle.only({ _ in false }, on: &common)
        let first = DraftSide(of: split.chosen, leadingTo: tree)
        let second = DraftSide(of: split.rest, leadingTo: draft.tree)
        return DraftCredits(
            chosen: ahead.credits(
                first, at: first.places(from: common, following: .empty), start, middle),
            rest: ahead.credits(
                second, at: second.places(from: tree, following: .empty), middle, line))
    }

    /// Of places: what was chosen is in the draft as it is.
    private func credits(
        _ split: NetEdit, _ line: EffectHistory
    ) throws(EffectHistory.Diverged) -> DraftCredits {
        var common = draft.tree
        let start = try line.only({ _ in false }, on: &common)
        let first = DraftSide(split, of: ahead)
        let second = DraftSide(of: split.rest, leadingTo: draft.tree)
        // Removals of the rest concern values that the common state also had.
        let places = second.places(from: first.tree, following: .empty)
        let ends = zip(split.rest.edits, places).map { edit, ends -> [JSONPointer] in
            guard edit.takesAway, let place = ends.first else { return ends }
            return [place.carriedBack(over: split.chosen, in: first.tree)] + ends.dropFirst()
        }
        return DraftCredits(
            chosen: ahead.credits(first, at: self.places(split), start, line),
            rest: ahead.credits(second, at: ends, start, line))
    }

    /// Those of the draft's authors who made some edits, in the order of their changes.
    func authors(of credits: [DraftCredit]) -> [Name] {
        let all = credits.reduce(into: Set<Name>()) { $0.formUnion($1.all) }
        return ahead.authors { _ in true }.filter { all.contains($0) }
    }
}

extension DraftSide {
    /// Whom each edit of a side is credited to, which leads from one state of the line to another.
    fileprivate func credits(
        _ side: DraftSide, at places: [[JSONPointer]], _ start: EffectHistory,
        _ end: EffectHistory
    ) -> [DraftCredit] {
        let search = MakerSearch(from: start, to: end) { authorsOfEdits[$0] }
        let edits = side.patch.edits
        let splices = Dictionary(grouping: edits.indices.filter { edits[$0].isSplice }) {
            places[$0].last
        }
        return edits.indices.map { number in
            let (edit, ends) = (edits[number], places[number])
            let makers = search.makers(of: edit, at: ends)
            guard edit.isSplice, let place = ends.last else {
                return credit(makers, around: ends.last)
            }
            // The letters that it put into a text are there; other edits shift them.
            let position = splices[place, default: []].drop { $0 < number }
                .reduce(nil as Int?) { edits[$1].shifting($0) }
            return credit(makers, of: edit, at: position ?? 0)
        }
    }

    /// The authors of an edit of a value.
    private func credit(_ makers: EditMakers, around place: JSONPointer?) -> DraftCredit {
        var credit = DraftCredit()
        credit.add(makers.maker.map(names) ?? [])
        credit.author = credit.only
        guard let place else { return credit }
        for made in makers.inside { note(made, from: place, in: &credit) }
        return credit
    }

    /// The authors of a text edit; its letters begin at an existing position of the text.
    private func credit(
        _ makers: EditMakers, of edit: JSONEdit, at position: Int
    ) -> DraftCredit {
        var credit = DraftCredit()
        for remover in makers.removers { credit.add(names(of: remover)) }
        credit.author = credit.only
        guard let count = edit.insertedCount, count > 0 else { return credit }
        let stretches = makers.inside.first.map { self.stretches(of: $0) } ?? []
        if !stretches.isEmpty {
            credit.note(stretches, in: position..<(position + count))
        } else if let maker = makers.maker {
            credit.add(names(of: maker))
            credit.author = credit.only
        }
        return credit
    }

    /// Records the author of a part of an edit's value.
    private func note(_ made: Authorship, from place: JSONPointer, in credit: inout DraftCredit) {
        guard let inside = made.place.inside(place) else { return }
        let makers = names(of: made.revision, made.author)
        let stretches = stretches(of: made)
        credit.add(makers)
        for run in made.runs { credit.add(names(of: run.revision, run.author)) }
        let author = makers.count == 1 ? makers[0] : nil
        credit.pieces.append(
            .init(place: inside, author: author, stretches: stretches))
    }

    private func stretches(of made: Authorship) -> [DraftCredit.Stretch] {
        made.runs.map { run in
            let makers = names(of: run.revision, run.author)
            return .init(count: run.count, author: makers.count == 1 ? makers[0] : nil)
        }
    }

    private func names(of maker: EditMaker) -> [Name] { names(of: maker.revision, maker.author) }

    /// The authors of an edit of a change; several if it is unknown which of them made it.
    private func names(of revision: Int?, _ author: Name?) -> [Name] {
        author.map { [$0] } ?? revision.flatMap { actors[$0] } ?? []
    }
}

extension DraftCredit {
    fileprivate mutating func add(_ names: [Name]) { all.formUnion(names) }

    /// The author, if there is exactly one candidate.
    fileprivate var only: Name? { all.count == 1 ? all.first : nil }

    /// Notes who typed a stretch of a text.
    fileprivate mutating func note(_ stretches: [Stretch], in range: Range<Int>) {
        var found: [Stretch] = []
        var start = 0
        for stretch in stretches {
            let overlap = range.clamped(to: start..<(start + stretch.count))
            if !overlap.isEmpty {
                found.append(.init(count: overlap.count, author: stretch.author))
            }
            start += stretch.count
        }
        guard let first = found.first else { return }
        author = first.author
        all.formUnion(found.compactMap(\.author))
        pieces = [Piece(place: .root, author: first.author, stretches: found)]
    }
}

extension JSONEdit {
    var isSplice: Bool { if case .splice = self { true } else { false } }

    /// Whether its place is one in the tree before it.
    fileprivate var takesAway: Bool {
        switch self {
        case .remove, .move: true
        case .add, .replace, .splice: false
        }
    }

    /// How many code units it puts into a text.
    fileprivate var insertedCount: Int? {
        guard case .splice(_, _, _, let inserted, _) = self else { return nil }
        return String(decoding: inserted, as: UTF8.self).utf16.count
    }

    /// The position of a letter after the edit; the position of the edit if there is no letter yet.
    fileprivate func shifting(_ letter: Int?) -> Int? {
        guard case .splice(_, let position, let removed, let inserted, _) = self else {
            return letter
        }
        guard let letter, position <= letter else { return letter ?? position }
        func length(_ text: [UInt8]) -> Int { String(decoding: text, as: UTF8.self).utf16.count }
        return letter + length(inserted) - length(removed)
    }
}
