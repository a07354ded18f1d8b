import JSONTree
public import Naming
import SelectiveUndo

/// Own undo as slow and as obvious as it can be: all steps are folded from the beginning for every
/// question, and everything visible is listed before and after every flip.
///
/// It has the rules of `EffectHistory`, and none of its structure.
public final class UndoModel {
    final class Box {
        let by: Int
        var place: Place?
        var isDead = false
        var content: Content?
        var exists = false
        init(by: Int) { self.by = by }
    }

    final class Place {
        var box: Box?
        weak var container: Content?
        let isMember: Bool
        init(_ container: Content?, isMember: Bool) {
            self.container = container
            self.isMember = isMember
        }
    }

    final class Character {
        let scalar: Unicode.Scalar
        let by: Int
        var deleters: Set<Int> = []
        init(_ scalar: Unicode.Scalar, by: Int) {
            self.scalar = scalar
            self.by = by
        }
    }

    final class Content {
        enum Kind {
            case scalar(JSON)
            case object([(name: String, place: Place)])
            case array([Place])
            case text([Character])
        }
        let by: Int
        var kind = Kind.scalar(.null)
        var exists = false
        unowned let owner: Box
        init(by: Int, owner: Box) {
            self.by = by
            self.owner = owner
        }
    }

    enum Step {
        case create(Box, Place, Content)
        case content(Box, Content)
        case move(Box, Place)
        case remove(Box, Place)
        /// A value hidden by a move of the same change.
        case setAside(Box)
        case restore(Box, Place)
    }

    final class Change {
        let revision: Int
        let actor: Name
        var group: Int
        var steps: [Step] = []
        var isIn = true
        /// The revisions that took it out of effect, put it back, and so on.
        var flips: [Int] = []
        init(_ revision: Int, _ actor: Name, _ group: Int) {
            self.revision = revision
            self.actor = actor
            self.group = group
        }

        func wasIn(before revision: Int) -> Bool {
            var isIn = self.revision < revision
            for flip in flips where flip < revision { isIn.toggle() }
            return isIn
        }
    }

    private let root = Place(nil, isMember: true)
    /// The first one is what the tree began with.
    private(set) var changes: [Change] = []
    private var movedBy: [ObjectIdentifier: Int] = [:]
    private var redoStacks: [Name: [[Int]]] = [:]

    public init(_ value: JSON) {
        let base = Change(-1, "", -1)
        changes.append(base)
        base.steps = create(value, at: root, by: 0)
        fold()
    }

    // MARK: Recording

    private func create(_ value: JSON, at place: Place, by change: Int) -> [Step] {
        let box = Box(by: change)
        let content = Content(by: change, owner: box)
        return [.create(box, place, content)] + fill(content, value, by: change)
    }

    private func fill(_ content: Content, _ value: JSON, by change: Int) -> [Step] {
        var steps: [Step] = []
        if let members = value.members {
            content.kind = .object(
                members.map { name, value in
                    let place = Place(content, isMember: true)
                    steps += create(value, at: place, by: change)
                    return (name, place)
                })
        } else if let elements = value.elements {
            content.kind = .array(
                elements.map { value in
                    let place = Place(content, isMember: false)
                    steps += create(value, at: place, by: change)
                    return place
                })
        } else if let text = value.string {
            content.kind = .text(text.unicodeScalars.map { Character($0, by: change) })
        } else {
            content.kind = .scalar(value)
        }
        return steps
    }

    public func append(
        _ revision: Int, by actor: Name, group: Int? = nil, _ patch: ReversiblePatch,
        wonSince base: Int? = nil
    ) {
        let change = Change(revision, actor, group ?? revision)
        changes.append(change)
        for edit in patch.edits {
            if case .add(let pointer, let value) = edit, let base,
                let box = removedBox(value, after: base)
            {
                change.steps.append(.restore(box, target(pointer)))
                fold()
            } else {
                record(edit, change)
            }
        }
        redoStacks[actor] = nil
    }

    /// The value removed last since a revision, if it is not there and equals this one.
    private func removedBox(_ value: JSON, after base: Int) -> Box? {
        let shown = visible().values.map(ObjectIdentifier.init)
        for change in changes.dropLast().reversed() where change.isIn && change.revision > base {
            for step in change.steps.reversed() {
                switch step {
                case .remove(let box, _), .setAside(let box):
                    guard box.exists, !shown.contains(.init(box)), render(box) == value else {
                        continue
                    }
                    return box
                default: continue
                }
            }
        }
        return nil
    }

    private func box(at tokens: ArraySlice<MemberName>) -> Box? {
        var box = root.box
        for token in tokens {
            switch box?.content?.kind {
            case .object(let members):
                box = members.first { $0.name.utf8.elementsEqual(token.text.utf8) }?.place.box
            case .array(let places):
                let visible = places.filter { $0.box != nil }
                guard let index = token.index(below: visible.count) else { return nil }
                box = visible[index].box
            default: return nil
            }
        }
        return box
    }

    private func target(_ pointer: JSONPointer) -> Place {
        guard let token = pointer.tokens.last,
            let content = box(at: pointer.tokens.dropLast())?.content
        else { return root }
        switch content.kind {
        case .object(let members):
            if let known = members.first(where: { $0.name.utf8.elementsEqual(token.text.utf8) }) {
                return known.place
            }
            let place = Place(content, isMember: true)
            content.kind = .object(members + [(token.text, place)])
            return place
        case .array(var places):
            let visible = places.indices.filter { places[$0].box != nil }
            let index = token.isEnd ? visible.count : token.index(below: .max) ?? 0
            let place = Place(content, isMember: false)
            places.insert(place, at: index < visible.count ? visible[index] : places.count)
            content.kind = .array(places)
            return place
        default: return root
        }
    }

    private func record(_ edit: JSONEdit, _ change: Change) {
        let by = changes.count - 1
        switch edit {
        case .add(let pointer, let value):
            change.steps += create(value, at: target(pointer), by: by)
        case .remove(let pointer, _):
            guard let box = box(at: pointer.tokens[...]), let place = box.place else { return }
            change.steps.append(.remove(box, place))
        case .replace(let pointer, _, let value):
            guard let box = box(at: pointer.tokens[...]), let place = box.place else { return }
            if place.isMember {
                change.steps += create(value, at: place, by: by)
            } else {
                let content = Content(by: by, owner: box)
                change.steps += [.content(box, content)] + fill(content, value, by: by)
            }
        case .move(let from, let to):
            guard let box = box(at: from.tokens[...]) else { return }
            box.place?.box = nil
            let place = target(to)
            let removal = change.steps.lastIndex { step in
                if case .remove(_, place) = step { true } else { false }
            }
            if let removal, place.isMember, case .remove(let old, _) = change.steps[removal] {
                change.steps[removal] = .setAside(old)
            }
            change.steps.append(.move(box, place))
        case .splice(let pointer, let position, let removed, let inserted, _):
            splice(pointer, position, removed, inserted, by)
        }
        fold()
    }

    private func splice(
        _ pointer: JSONPointer, _ position: Int, _ removed: [UInt8], _ inserted: [UInt8], _ by: Int
    ) {
        guard let content = box(at: pointer.tokens[...])?.content,
            case .text(var text) = content.kind
        else { return }
        var units = 0
        var visible = text.indices.filter { isThere(text[$0]) }
        while units < position {
            units += text[visible.removeFirst()].scalar.utf16.count
        }
        for _ in String(decoding: removed, as: UTF8.self).unicodeScalars {
            text[visible.removeFirst()].deleters.insert(by)
        }
        let new = String(decoding: inserted, as: UTF8.self).unicodeScalars.map {
            Character($0, by: by)
        }
        text.insert(contentsOf: new, at: visible.first ?? text.count)
        content.kind = .text(text)
    }

    // MARK: The fold

    private func isThere(_ character: Character) -> Bool {
        changes[character.by].isIn && !character.deleters.contains { changes[$0].isIn }
    }

    private func fold() {
        for case let change in changes {
            for step in change.steps {
                switch step {
                case .create(let box, let place, let content):
                    (box.place, box.isDead, box.exists, box.content) = (nil, false, false, nil)
                    (place.box, content.exists) = (nil, false)
                case .content(_, let content): content.exists = false
                case .move(_, let place), .remove(_, let place), .restore(_, let place):
                    place.box = nil
                case .setAside: break
                }
            }
        }
        movedBy = [:]
        for (index, change) in changes.enumerated() where change.isIn {
            for step in change.steps { fold(step, index) }
        }
    }

    private func fold(_ step: Step, _ change: Int) {
        switch step {
        case .create(let box, let place, let content):
            box.exists = true
            content.exists = true
            box.content = content
            box.place = place
            if !box.isDead { place.box = box }
        case .content(let box, let content):
            content.exists = true
            box.content = content
        case .move(let box, let place):
            guard box.exists, place.container?.exists ?? true, !isInside(place, box) else { return }
            if box.place?.box === box { box.place?.box = nil }
            box.place = place
            movedBy[ObjectIdentifier(box)] = change
            if !box.isDead { place.box = box }
        case .remove(let box, let place):
            if box.exists {
                box.isDead = true
                if box.place?.box === box { box.place?.box = nil }
            }
            if place.isMember { place.box = nil }
        case .restore(let box, let place):
            guard box.exists, place.container?.exists ?? true, !isInside(place, box) else { return }
            if box.place?.box === box { box.place?.box = nil }
            box.isDead = false
            box.place = place
            place.box = box
        case .setAside: break
        }
    }

    private func isInside(_ place: Place, _ box: Box) -> Bool {
        var place: Place? = place
        while let content = place?.container {
            if content.owner === box { return true }
            place = content.owner.place
        }
        return false
    }

    /// The value of the changes in effect.
    public var value: JSON { root.box.map(render) ?? .null }

    private func render(_ box: Box) -> JSON {
        switch box.content?.kind {
        case .scalar(let value): return value
        case .object(let members):
            return JSON(
                members: members.compactMap { one in one.place.box.map { (one.name, render($0)) } })
        case .array(let places): return JSON(elements: places.compactMap { $0.box.map(render) })
        case .text(let text):
            var string = String.UnicodeScalarView()
            string.append(contentsOf: text.filter(isThere).map(\.scalar))
            return JSON(String(string))
        case nil: return .null
        }
    }

    /// The author of each value, by its pointer: one revision, and for a text one for each UTF-16
    /// code unit.
    var authors: [String: [Int]] {
        var authors: [String: [Int]] = [:]
        func look(_ box: Box, _ path: String) {
            guard let content = box.content else { return }
            authors[path] = [max(0, changes[content.by].revision)]
            switch content.kind {
            case .scalar: break
            case .object(let members):
                for one in members {
                    if let box = one.place.box { look(box, path + "/" + one.name) }
                }
            case .array(let places):
                for (index, box) in places.compactMap(\.box).enumerated() {
                    look(box, "\(path)/\(index)")
                }
            case .text(let text):
                authors[path]? += text.filter(isThere).flatMap { one in
                    [Int](
                        repeating: max(0, changes[one.by].revision), count: one.scalar.utf16.count)
                }
            }
        }
        if let box = root.box { look(box, "") }
        return authors
    }

    // MARK: Own undo

    private struct Thing: Hashable {
        enum Kind { case box, content, move, character }
        let kind: Kind
        let object: ObjectIdentifier
        let by: Int
    }

    /// Everything visible, and the box that it is, or is in.
    private func visible() -> [Thing: Box] {
        var found: [Thing: Box] = [:]
        func look(_ box: Box) {
            let id = ObjectIdentifier(box)
            found[Thing(kind: .box, object: id, by: box.by)] = box
            if let change = movedBy[id], let place = box.place {
                // One change may move a box twice: the move is the one to this place.
                found[Thing(kind: .move, object: ObjectIdentifier(place), by: change)] = box
            }
            guard let content = box.content else { return }
            if content.by != box.by
                || changes[content.by].steps.contains(where: {
                    if case .content(_, content) = $0 { true } else { false }
                })
            {
                found[Thing(kind: .content, object: ObjectIdentifier(content), by: content.by)] =
                    box
            }
            switch content.kind {
            case .object(let members): members.compactMap(\.place.box).forEach(look)
            case .array(let places): places.compactMap(\.box).forEach(look)
            case .text(let text):
                for character in text where isThere(character) {
                    let id = ObjectIdentifier(character)
                    found[Thing(kind: .character, object: id, by: character.by)] = box
                }
            case .scalar: break
            }
        }
        root.box.map(look)
        return found
    }

    /// The changes whose steps hide a box that exists.
    private func hiders(of box: Box) -> Set<Int> {
        guard box.exists else { return [] }
        func steps(_ isWanted: (Step) -> Bool) -> [Int] {
            changes.indices.filter {
                changes[$0].isIn && changes[$0].steps.contains(where: isWanted)
            }
        }
        if box.isDead {
            var removers: Set<Int> = []
            for (index, change) in changes.enumerated() where change.isIn {
                for step in change.steps {
                    switch step {
                    case .remove(box, _): removers.insert(index)
                    case .restore(box, _): removers = []
                    default: break
                    }
                }
            }
            return removers
        }
        guard let place = box.place else { return [] }
        if place.box !== box {
            let writers = steps {
                switch $0 {
                case .create(_, place, _), .move(_, place), .remove(_, place), .restore(_, place):
                    true
                default: false
                }
            }
            return writers.last.map { [$0] } ?? []
        }
        guard let content = place.container else { return [] }
        if content.owner.content !== content { return content.owner.content.map { [$0.by] } ?? [] }
        return hiders(of: content.owner)
    }

    private func counts(_ other: Int, _ change: Change, _ isOn: Bool) -> Bool {
        let other = changes[other]
        return other.revision > change.revision && other.actor != change.actor
            && (!isOn || !other.wasIn(before: change.flips.last ?? change.revision))
    }

    /// Flips one change; returns the revisions of lost changes.
    private func flip(_ index: Int, to isOn: Bool, _ seen: [Thing: Box]) -> Set<Int> {
        let change = changes[index]
        let before = visible()
        change.isIn = isOn
        fold()
        let after = visible()
        var lost: Set<Int> = []
        for (thing, box) in before where after[thing] == nil && seen[thing] != nil {
            if thing.by == index { continue }
            let isOwnBox =
                box.by == index
                || change.steps.contains { step in
                    switch step {
                    case .remove(box, _), .restore(box, _): true
                    default: false
                    }
                }
            if thing.kind == .move && isOwnBox { continue }
            if counts(thing.by, change, isOn) { lost.insert(changes[thing.by].revision) }
            guard thing.kind == .box else { continue }
            for hider in hiders(of: box) where counts(hider, change, isOn) {
                lost.insert(changes[hider].revision)
            }
        }
        return lost
    }

    public struct Done: Equatable {
        public var off: [Int] = []
        public var on: [Int] = []
        public var passed: [Int] = []
        public var skipped: [Int] = []
        /// The revisions of the work that is in the way, if that is why nothing was done.
        public var conflicts: Set<Int>?
        public var isNothing = false
    }

    private func index(_ revision: Int) -> Int? {
        changes.firstIndex { $0.revision == revision }
    }

    /// As `EffectHistory.revert`, for an actor.
    public func revert(_ request: OwnUndoRequest, at revision: Int) -> Done {
        guard case .actor(let actor) = request.target else { return Done(isNothing: true) }
        var units: [[Int]]
        if request.isRedo {
            units = redoStacks[actor]?.last.map { [$0.compactMap(index)] } ?? []
        } else {
            let mine = changes.indices.filter { changes[$0].actor == actor && changes[$0].isIn }
            var groups: [Int] = []
            for index in mine.reversed() where !groups.contains(changes[index].group) {
                groups.append(changes[index].group)
            }
            units = groups.map { group in mine.filter { changes[$0].group == group } }
        }
        return perform(units, to: request.isRedo, request.policy, actor, at: revision)
    }

    /// As `EffectHistory.revert`, for chosen changes as one step.
    public func revert(
        _ revisions: [Int], to isOn: Bool, _ policy: ConflictPolicy, actor: Name,
        at revision: Int
    ) -> Done {
        let unit = revisions.compactMap(index).filter { changes[$0].isIn != isOn }
        return perform(unit.isEmpty ? [] : [unit], to: isOn, policy, actor, at: revision)
    }

    private func perform(
        _ units: [[Int]], to isOn: Bool, _ policy: ConflictPolicy, _ actor: Name,
        at revision: Int
    ) -> Done {
        var done = Done()
        var conflicts: Set<Int> = []
        press: for unit in units {
            let states = changes.map(\.isIn)
            let seen = visible()
            let before = value
            var flipped: [Int] = []
            for index in isOn ? unit.sorted() : unit.sorted().reversed() {
                let lost = flip(index, to: isOn, seen)
                if !lost.isEmpty, policy != .mine {
                    conflicts.formUnion(lost)
                    if policy == .reject {
                        for (index, isIn) in states.enumerated() { changes[index].isIn = isIn }
                        fold()
                        // Skipped versions still go out of effect.
                        if done.off.isEmpty && done.on.isEmpty { return Done(conflicts: lost) }
                        break press
                    }
                    done.skipped.append(changes[index].revision)
                    changes[index].isIn = !isOn
                    fold()
                    continue
                }
                flipped.append(changes[index].revision)
            }
            if isOn { done.on += flipped } else { done.off += flipped }
            if flipped.isEmpty { continue }
            if value != before { break press }
            done.passed += flipped
        }
        guard !done.off.isEmpty || !done.on.isEmpty else {
            return conflicts.isEmpty ? Done(isNothing: true) : Done(conflicts: conflicts)
        }
        note(revision, actor, off: done.off, on: done.on)
        return done
    }

    private func note(_ revision: Int, _ actor: Name, off: [Int], on: [Int]) {
        for one in off + on { if let index = index(one) { changes[index].flips.append(revision) } }
        if !on.isEmpty {
            redoStacks[actor] = (redoStacks[actor] ?? []).map { $0.filter { !on.contains($0) } }
                .filter { !$0.isEmpty }
        }
        if !off.isEmpty { redoStacks[actor, default: []].append(off) }
    }

    /// The record of an own undo or redo in a journal.
    public func replay(_ revision: Int, actor: Name, off: [Int], on: [Int]) {
        for one in off { if let index = index(one) { changes[index].isIn = false } }
        for one in on { if let index = index(one) { changes[index].isIn = true } }
        fold()
        note(revision, actor, off: off, on: on)
    }

    public var revisionsInEffect: [Int] {
        changes.dropFirst().filter(\.isIn).map(\.revision)
    }
}

// Steps compare what they are about by identity.
private func ~= (pattern: UndoModel.Box, value: UndoModel.Box) -> Bool { pattern === value }
private func ~= (pattern: UndoModel.Place, value: UndoModel.Place) -> Bool { pattern === value }
private func ~= (pattern: UndoModel.Content, value: UndoModel.Content) -> Bool { pattern === value }
