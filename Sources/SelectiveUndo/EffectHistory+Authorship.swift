public import JSONTree
public import Naming

/// The author of a place, if another change than that of the place around it made it.
public struct Authorship: Sendable, Equatable {
    /// A stretch of a text.
    public struct Run: Sendable, Equatable {
        /// In UTF-16 code units.
        public var count: Int
        /// The change that wrote it; `nil` if that is not known.
        public let revision: Int?
        /// The author of that edit, if the change stores one for each of its edits.
        public let author: Name?

        /// A stretch of `count` code units, and the change that wrote it.
        public init(count: Int, revision: Int?, author: Name? = nil) {
            self.count = count
            self.revision = revision
            self.author = author
        }
    }

    /// Where it is, in the tree that there is.
    public let place: JSONPointer
    /// The change that put the value there; `nil` for values older than the history, and for
    /// untracked places.
    public let revision: Int?
    /// The author of that edit, if the change stores one for each of its edits.
    public let author: Name?
    /// Of a text that was edited inside: its stretches, in order.
    public let runs: [Run]

    /// A place that a change made; in a text with the runs of it.
    public init(place: JSONPointer, revision: Int?, author: Name? = nil, runs: [Run]) {
        self.place = place
        self.revision = revision
        self.author = author
        self.runs = runs
    }

    /// The author of each edit of a change that merged the work of several actors, by the edits'
    /// numbers in its patch; `nil` where unknown.
    public typealias Authors = (_ revision: Int) -> (patch: ReversiblePatch, authors: [Name?])?
}

extension EffectHistory {
    /// The authorship of the value at a pointer: the place itself first, then, in order, all places
    /// in it that another actor made, or that were made at another time. `nil` if there is no
    /// value. `oldest` is the change that made the state at the line's beginning; `authors` gives
    /// the authors in changes that merged the work of several actors.
    ///
    /// An element or a member stays its author's wherever it is moved, and whatever is undone and
    /// redone. O(what was ever touched in it).
    public func authorship(
        under pointer: JSONPointer, oldest: Int?, authors: Authorship.Authors = { _ in nil }
    ) -> [Authorship]? {
        var search = AuthorshipSearch(line: self, oldest: oldest, authors: authors)
        guard let start = search.start(pointer) else { return nil }
        switch start {
        case .box(let box, let around):
            search.add(box, at: pointer, around: around, isFirst: true)
        case .plain(let maker): search.note(maker, at: pointer, around: nil)
        }
        return search.found
    }
}

/// Walks through what the edits in effect make.
struct AuthorshipSearch {
    private let line: EffectHistory
    private let oldest: Int?
    let identity: IdentityTree
    /// Of changes that say who made their edits, by writer: the author of each step.
    private var authorsOfSteps: [IdentityTree.ID: [Name?]] = [:]
    private(set) var found: [Authorship] = []

    /// Whose a place is.
    struct Maker: Equatable {
        let writer: IdentityTree.ID
        let author: Name?
    }

    /// The value at a pointer.
    enum Start {
        case box(IdentityTree.ID, around: Maker?)
        /// A part of a value that was inserted somewhere above it, unchanged since.
        case plain(Maker)
    }

    init(line: EffectHistory, oldest: Int?, authors: Authorship.Authors) {
        self.line = line
        self.oldest = oldest
        identity = line.identity
        for edit in line.edits {
            guard let (patch, names) = authors(edit.revision), patch.count == names.count else {
                continue
            }
            for writer in edit.units.map(\.writer) {
                authorsOfSteps[writer] = identity.writers[writer].steps.map { step in
                    let edit = Int(identity.steps[step].edit)
                    return edit < names.count ? names[edit] : nil
                }
            }
        }
    }

    func start(_ pointer: JSONPointer) -> Start? {
        var box = identity.places[0].occupant
        var around: Maker?
        var tokens = pointer.tokens[...]
        while let token = tokens.popFirst() {
            let content = identity.contents[identity.content(of: box)]
            let maker = maker(of: box, around: around)
            around = maker
            switch content.kind {
            case .plain(let value):
                let rest = JSONPointer(tokens: [token] + tokens)
                return value[rest].map { _ in .plain(maker) }
            case .text: return nil
            case .object(let id):
                let object = identity.objects[id]
                guard let place = object.places[token] else {
                    let rest = JSONPointer(tokens: [token] + tokens)
                    return object.base[rest].map { _ in .plain(maker) }
                }
                box = identity.places[place].occupant
            case .array(let id):
                let array = identity.arrays[id]
                guard let index = token.index(below: array.runs.visibleCount),
                    let (run, offset) = array.runs.run(at: index)
                else { return nil }
                guard array.places[run] != IdentityTree.none else {
                    let element = array.base[Int(array.starts[run]) + offset]
                    let rest = JSONPointer(tokens: Array(tokens))
                    return element?[rest].map { _ in .plain(maker) }
                }
                box = identity.places[array.places[run]].occupant
            }
            if box == IdentityTree.none { return nil }
        }
        return .box(box, around: around)
    }

    /// The change that a writer's steps were.
    func revision(of writer: IdentityTree.ID) -> Int? {
        writer == 0 ? oldest : line.editOfWriter[writer].map { line.edits[$0].revision }
    }

    /// The maker of a box's content: the parts of an inserted value have its maker.
    private func maker(of box: IdentityTree.ID, around: Maker?) -> Maker {
        let content = identity.content(of: box)
        let writer = identity.contents[content].writer
        guard authorsOfSteps[writer] != nil else { return Maker(writer: writer, author: nil) }
        let step = identity.step(thatMade: content, of: box)
        return step.map { maker(of: $0) }
            ?? Maker(writer: writer, author: around?.writer == writer ? around?.author : nil)
    }

    func maker(of step: IdentityTree.ID) -> Maker {
        let writer = identity.steps[step].writer
        let number = Int(step - identity.writers[writer].steps.lowerBound)
        let authors = authorsOfSteps[writer] ?? []
        return Maker(writer: writer, author: number < authors.count ? authors[number] : nil)
    }

    /// Adds a place, unless the same maker made the place around it.
    mutating func note(
        _ maker: Maker, at pointer: JSONPointer, around: Maker?, runs: [Authorship.Run] = []
    ) {
        if maker == around && runs.isEmpty { return }
        found.append(
            Authorship(
                place: pointer, revision: revision(of: maker.writer), author: maker.author,
                runs: runs))
    }

    /// Adds a box and its content, by the maker around it.
    mutating func add(
        _ box: IdentityTree.ID, at pointer: JSONPointer, around: Maker?, isFirst: Bool = false
    ) {
        let content = identity.contents[identity.content(of: box)]
        let maker = maker(of: box, around: around)
        var stretches: [Authorship.Run] = []
        if case .text(let text) = content.kind { stretches = runs(text, by: maker) }
        note(maker, at: pointer, around: isFirst ? nil : around, runs: stretches)
        switch content.kind {
        case .plain, .text: break
        case .object(let id): addMembers(of: identity.objects[id], at: pointer, maker)
        case .array(let id): addElements(of: identity.arrays[id], at: pointer, maker)
        }
    }

    private mutating func addMembers(
        of object: IdentityTree.ObjectContent, at pointer: JSONPointer, _ maker: Maker
    ) {
        let touched = object.places.sorted { $0.key < $1.key }
        for (name, place) in touched {
            let box = identity.places[place].occupant
            if box == IdentityTree.none { continue }
            add(box, at: JSONPointer(tokens: pointer.tokens + [name]), around: maker)
        }
    }

    private mutating func addElements(
        of array: IdentityTree.ArrayContent, at pointer: JSONPointer, _ maker: Maker
    ) {
        var index = 0
        for run in array.runs.inOrder {
            let place = array.places[run]
            if place == IdentityTree.none {
                index += Int(array.runs.runs[run].length)
                continue
            }
            let box = identity.places[place].occupant
            if box == IdentityTree.none { continue }
            let token = MemberName(String(index))
            add(box, at: JSONPointer(tokens: pointer.tokens + [token]), around: maker)
            index += 1
        }
    }

    /// The stretches of a text; none if all of it was written at once.
    private func runs(_ text: IdentityTree.ID, by maker: Maker) -> [Authorship.Run] {
        var runs: [Authorship.Run] = []
        for run in identity.texts[text].runs.inOrder where identity.isThere(run, in: text) {
            let step = identity.texts[text].pieces[run].insertedBy
            let writer = step == IdentityTree.none ? maker : self.maker(of: step)
            let revision = self.revision(of: writer.writer)
            let count = Int(identity.texts[text].runs.runs[run].length)
            if let last = runs.last, last.revision == revision, last.author == writer.author {
                runs[runs.count - 1].count += count
            } else {
                runs.append(
                    Authorship.Run(count: count, revision: revision, author: writer.author))
            }
        }
        let isPlain =
            runs.count < 2 && runs.first?.revision == revision(of: maker.writer)
            && runs.first?.author == maker.author
        return isPlain ? [] : runs
    }
}

extension IdentityTree {
    /// The step that gave a box what it holds; `nil` if it came along with what is around it.
    fileprivate func step(thatMade content: ID, of box: ID) -> ID? {
        if content != boxes[box].birthContent {
            return boxes[box].writes.last { step in
                if case .write(_, content) = steps[step].action { true } else { false }
            }
        }
        return places[boxes[box].birthplace].steps.first { step in
            if case .create(box, _) = steps[step].action { true } else { false }
        }
    }
}
