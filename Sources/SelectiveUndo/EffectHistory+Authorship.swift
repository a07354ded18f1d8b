public import JSONTree

/// Who made a place what it is, where that is not who made the place around it.
public struct Authorship: Sendable, Equatable {
    /// A stretch of a text.
    public struct Run: Sendable, Equatable {
        /// In UTF-16 code units.
        public var count: Int
        /// The change that wrote it; `nil` if that is not known.
        public let revision: Int?

        /// A stretch of so many code units, and the change that wrote it.
        public init(count: Int, revision: Int?) {
            self.count = count
            self.revision = revision
        }
    }

    /// Where it is, in the tree that there is.
    public let place: JSONPointer
    /// The change that put the value there; `nil` for what is older than all that is known, and for
    /// what has no versions.
    public let revision: Int?
    /// Of a text that was edited inside: its stretches, in order.
    public let runs: [Run]

    /// A place that a change made; in a text with the runs of it.
    public init(place: JSONPointer, revision: Int?, runs: [Run]) {
        self.place = place
        self.revision = revision
        self.runs = runs
    }
}

extension EffectHistory {
    /// Who made what stands at a pointer: the place itself first, then, in order, all places in it
    /// that somebody else made, or made at another time. `nil` if nothing is there. `oldest` is the
    /// change that made what was there before the line begins.
    ///
    /// An element or a member stays its author's wherever it is moved, and whatever is undone and
    /// redone. O(what was ever touched in it).
    public func authorship(under pointer: JSONPointer, oldest: Int?) -> [Authorship]? {
        var search = AuthorshipSearch(line: self, oldest: oldest)
        guard let start = search.start(pointer) else { return nil }
        switch start {
        case .box(let box): search.add(box, at: pointer, around: nil)
        case .plain(let writer): search.note(writer, at: pointer, around: nil)
        }
        return search.found
    }
}

/// Walks through what the edits in effect make.
private struct AuthorshipSearch {
    private let line: EffectHistory
    private let oldest: Int?
    private let identity: IdentityTree
    private(set) var found: [Authorship] = []

    /// What is at a pointer.
    enum Start {
        case box(IdentityTree.ID)
        /// A part of what a writer put somewhere above it, as it was.
        case plain(IdentityTree.ID)
    }

    init(line: EffectHistory, oldest: Int?) {
        self.line = line
        self.oldest = oldest
        identity = line.identity
    }

    func start(_ pointer: JSONPointer) -> Start? {
        var box = identity.places[0].occupant
        var tokens = pointer.tokens[...]
        while let token = tokens.popFirst() {
            let content = identity.contents[identity.content(of: box)]
            switch content.kind {
            case .plain(let value):
                let rest = JSONPointer(tokens: [token] + tokens)
                return value[rest].map { _ in .plain(content.writer) }
            case .text: return nil
            case .object(let id):
                let object = identity.objects[id]
                guard let place = object.places[token] else {
                    let rest = JSONPointer(tokens: [token] + tokens)
                    return object.base[rest].map { _ in .plain(content.writer) }
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
                    return element?[rest].map { _ in .plain(content.writer) }
                }
                box = identity.places[array.places[run]].occupant
            }
            if box == IdentityTree.none { return nil }
        }
        return .box(box)
    }

    /// The change that a writer's steps were.
    private func revision(of writer: IdentityTree.ID) -> Int? {
        writer == 0 ? oldest : line.editOfWriter[Int(writer)].map { line.edits[$0].revision }
    }

    /// Notes a place, unless who is around it made it, too.
    mutating func note(
        _ writer: IdentityTree.ID, at pointer: JSONPointer, around: IdentityTree.ID?,
        runs: [Authorship.Run] = []
    ) {
        if writer == around && runs.isEmpty { return }
        found.append(
            Authorship(place: pointer, revision: revision(of: writer), runs: runs))
    }

    /// Notes a box and what is in it.
    mutating func add(
        _ box: IdentityTree.ID, at pointer: JSONPointer, around: IdentityTree.ID?
    ) {
        let content = identity.contents[identity.content(of: box)]
        if case .text(let text) = content.kind {
            return note(content.writer, at: pointer, around: around, runs: runs(text, content))
        }
        note(content.writer, at: pointer, around: around)
        switch content.kind {
        case .plain, .text: break
        case .object(let id): addMembers(of: identity.objects[id], at: pointer, content.writer)
        case .array(let id): addElements(of: identity.arrays[id], at: pointer, content.writer)
        }
    }

    private mutating func addMembers(
        of object: IdentityTree.ObjectContent, at pointer: JSONPointer, _ writer: IdentityTree.ID
    ) {
        let touched = object.places.sorted { $0.key < $1.key }
        for (name, place) in touched {
            let box = identity.places[place].occupant
            if box == IdentityTree.none { continue }
            add(box, at: JSONPointer(tokens: pointer.tokens + [name]), around: writer)
        }
    }

    private mutating func addElements(
        of array: IdentityTree.ArrayContent, at pointer: JSONPointer, _ writer: IdentityTree.ID
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
            add(box, at: JSONPointer(tokens: pointer.tokens + [token]), around: writer)
            index += 1
        }
    }

    /// The stretches of a text; none if all of it was written at once.
    private func runs(_ text: IdentityTree.ID, _ content: IdentityTree.Content) -> [Authorship.Run]
    {
        var runs: [Authorship.Run] = []
        for run in identity.texts[text].runs.inOrder where identity.isThere(run, in: text) {
            let step = identity.texts[text].pieces[run].insertedBy
            let writer = step == IdentityTree.none ? content.writer : identity.steps[step].writer
            let revision = self.revision(of: writer)
            let count = Int(identity.texts[text].runs.runs[run].length)
            if runs.last?.revision == revision, let last = runs.indices.last {
                runs[last].count += count
            } else {
                runs.append(Authorship.Run(count: count, revision: revision))
            }
        }
        let isPlain = runs.count < 2 && runs.first?.revision == revision(of: content.writer)
        return isPlain ? [] : runs
    }
}
