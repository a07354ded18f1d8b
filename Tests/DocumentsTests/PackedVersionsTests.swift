import JSONTree
import Journaling
import TestSupport
import Testing
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// Versions in pages are the versions.
@Suite struct PackedVersionsTests {
    private typealias History = VersionHistory<Int>

    /// The same history with all but its newest versions in pages.
    private func packed(_ history: History) throws -> History {
        var document = Document.unborn(try #require(DocumentID("a")))
        document.history = history
        document.life = .alive
        let stored = document.checkpoint(RequestLog())
        var requests = RequestLog()
        return try Document(stored, &requests).history
    }

    private func expectSame(_ one: History, _ other: History) {
        #expect(one.state.versions.count == other.state.versions.count)
        #expect(
            zip(one.state.versions, other.state.versions).allSatisfy {
                $0.id == $1.id && $0.parent == $1.parent && $0.redo == $1.redo
                    && $0.depth == $1.depth && $0.steps.list == $1.steps.list
            })
        #expect(one.state.current == other.state.current && one.state.scopes == other.state.scopes)
        #expect(one.state.tags == other.state.tags)
        #expect(one.undoCount == other.undoCount && one.redoCount == other.redoCount)
    }

    /// One of the things that happen to a history, the same to both.
    private func step(_ both: inout [History], _ id: Int, _ random: inout SeededGenerator) throws {
        let (kind, number) = (random.below(40), random.below(1_000))
        let isJoining = random.once(in: 3)
        let goal = both[0].state.versions[number % both[0].state.versions.count].id
        for index in both.indices {
            switch kind {
            case 0: both[index].pushScope(owner: "ada")
            case 1 where both[index].scopeLevel > 0:
                _ = try both[index].popScope(id: id, isChanged: number % 2 == 0)
            case 2 where both[index].scopeLevel > 0: try both[index].discardScope()
            case 3: both[index].tag(goal, as: ["t", "u"][number % 2])
            case 4:
                for move in [
                    Move.undo(count: 1 + number % 5), .redo(count: 1), .goTo(.version(goal)),
                ] {
                    if let target = try? both[index].target(of: move) {
                        both[index].move(to: target)
                    }
                }
            case 5 where number < 30: both[index].trim(keeping: 10 + number * 20)
            default:
                both[index].append(
                    id, id: id, joining: isJoining && both[index].openGroup != nil, actor: "ada",
                    grouping: Grouping(window: .seconds(1), max: .seconds(60)))
            }
        }
    }

    /// Histories as typing makes them: long rows, now and then a fork or a scope.
    private func rows(_ random: inout SeededGenerator) throws -> [History] {
        var both = [History(), History()]
        for id in 1...3_000 {
            if random.once(in: 250) {
                try step(&both, id, &random)
            } else {
                for index in both.indices { both[index].append(id, id: id) }
            }
            if id.isMultiple(of: 1_000) {
                both[0].seal()
                both[1] = try packed(both[1])
            }
        }
        return both
    }

    /// How many versions lie between the current one and another one, one after the other.
    private func versionsWalked(_ history: History, to target: Int) -> Int {
        let versions = Array(history.state.versions)
        var (from, to) = (Int(history.state.current), versions.firstIndex { $0.id == target } ?? 0)
        var count = 0
        while from != to {
            if from > to {
                from = Int(versions[from].parent)
            } else {
                to = Int(versions[to].parent)
            }
            count += 1
        }
        return count
    }

    /// Where redo leads from each version after a move, as a loop over all versions on the way says.
    private func redoWalked(_ history: History, to target: Int) throws -> [Int32] {
        let versions = Array(history.state.versions)
        var redo = versions.map(\.redo)
        let end = try #require(versions.firstIndex { $0.id == target })
        var (from, to) = (Int(history.state.current), end)
        while from != to {
            let later = max(from, to)
            let parent = Int(versions[later].parent)
            redo[parent] = Int32(later)
            if from > to { from = parent } else { to = parent }
        }
        return redo
    }

    @Test(arguments: Seeds.of(8, from: 1))
    func `ways past rows of packed versions are those that are walked`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var both = try rows(&random)
        let isRow = (0..<both[1].state.versions.count).contains {
            both[1].state.versions.packedElements?.store.row(at: $0) != nil
        }
        #expect(isRow, "there is something to pass")
        for round in 0..<40 {
            let goal = both[0].state.versions[random.below(both[0].state.versions.count)].id
            let count = random.below(3_000)
            let moves = [
                Move.undo(count: count), .redo(count: count), .redo(count: .max),
                .undoTo(.version(goal)),
                .redoTo(.version(goal)),
            ]
            for move in moves {
                let targets = both.map { history in
                    Result { () throws(VersionError) in try history.target(of: move) }
                }
                #expect(targets[0] == targets[1])
            }
            let route = both[0].route(to: goal)
            for between in both.map({ $0.between(goal) }) {
                #expect(between?.oldest == (route.undone + route.redone).min())
                #expect(between?.count == versionsWalked(both[0], to: goal))
            }
            let lists = both.map { history in
                history.list(before: goal, limit: 20).map { [$0.id, "\($0.standing)".count] }
            }
            #expect(lists[0] == lists[1])
            if round.isMultiple(of: 10) { expectPassed(both, downTo: goal) }
            var branch = both[1].stepsOnBranch(before: goal)
            let all = both[0].allStepsOnBranch
            // Page after page, as a list of changes asks.
            for lowest in [goal - 1, goal - 70, goal - 71, goal - 900, goal - 2_000, 0] {
                let lowest = max(0, lowest)
                branch.reach(lowest)
                let isSame = (lowest..<goal).allSatisfy { branch.contains($0) == all.contains($0) }
                #expect(isSame, "below \(goal) from \(lowest) on")
            }
            guard let target = try? both[0].target(of: .goTo(.version(goal))) else { continue }
            let redo = try redoWalked(both[0], to: target)
            for index in both.indices {
                both[index].move(to: target)
                #expect(both[index].state.versions.map(\.redo) == redo)
                // A fork in a row: redo leads elsewhere until a version after it is reached.
                if count.isMultiple(of: 2) { both[index].append(3_001 + round, id: 3_001 + round) }
            }
            expectSame(both[0], both[1])
        }
    }

    /// Steps that are passed are those that are not below a number.
    private func expectPassed(_ histories: [VersionHistory<Int>], downTo goal: Int) {
        for history in histories {
            let steps = history.stepsBack.filter { $0 < goal }
            #expect(Array(history.stepsBack(before: goal)) == steps)
            var rest = history.stepsBack
            let isNamed = rest.pass(downTo: goal)
            #expect(Array(rest) == steps)
            var walked = history.stepsBack
            var isEachNamed = true
            while let step = walked.next(), step >= goal {
                isEachNamed = isEachNamed && walked.first == walked.version
            }
            #expect(isEachNamed || !isNamed)
        }
    }

    @Test(arguments: Seeds.of(8, from: 1))
    func `a history whose versions are packed goes on as if they were not`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var both = [History(), History()]
        var id = 0
        for _ in 0..<1_200 {
            id += random.once(in: 9) ? 2 : 1
            try step(&both, id, &random)
            if random.once(in: 150) {
                let group = both[1].openGroup
                both[1] = try packed(both[1])
                if group != nil { both[0].seal() }
                expectSame(both[0], both[1])
            }
        }
        expectSame(both[0], both[1])
        #expect(both[0].allStepsOnBranch == both[1].allStepsOnBranch)
        let ids = stride(from: 0, to: id, by: 7)
        #expect(ids.allSatisfy { both[0].version($0)?.parent == both[1].version($0)?.parent })
    }

    @Test(arguments: Seeds.of(8, from: 1))
    func `the steps of a branch are found as far as they are asked for`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var both = [History()]
        var id = 0
        for round in 0..<600 {
            id += 1
            try step(&both, id, &random)
            guard round % 20 == 0 else { continue }
            let wanted = both[0].allStepsOnBranch
            var found = both[0].stepsOnBranch(before: .max)
            for lowest in [id, id - random.below(30), random.below(id + 1), 0].sorted(by: >) {
                found.reach(lowest)
                for step in lowest...id { #expect(found.contains(step) == wanted.contains(step)) }
            }
        }
    }

    @Test func `versions in a row take less than two bytes each`() throws {
        var history = History()
        for id in 1...200_000 { history.append(id, id: id) }
        let short = try packed(history)
        let store = try #require(short.state.versions.packedElements?.store as? PackedVersions)
        #expect(store.count > 199_900 && store.weight < 400_000)
        #expect(short.undoCount == 200_000 && short.currentID == 200_000)
        #expect(short.version(50_000)?.steps.list == [50_000])
        var document = Document.unborn(try #require(DocumentID("a")))
        document.history = short
        #expect(document.checkpoint(RequestLog()).body.count < 40_000)
    }

    @Test(arguments: Seeds.of(8, from: 1))
    func `damaged pages are an error, and never a crash`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var both = [History()]
        for id in 1...600 { try step(&both, id, &random) }
        var writer = ByteWriter()
        let versions = both[0].state.versions
        let pages = (versions.count - 1) / PackedVersions.pageCount
        for page in 0..<pages {
            let first = page * PackedVersions.pageCount
            PackedPage.write(
                versions[first..<(first + PackedVersions.pageCount)], first: first,
                after: first == 0 ? .none : PackedPage.Last(versions[first - 1]), to: &writer)
        }
        for _ in 0..<60 {
            var bytes = writer.bytes
            if bytes.isEmpty { return }
            switch random.below(3) {
            case 0: bytes[random.below(bytes.count)] ^= UInt8(1 + random.below(255))
            case 1: bytes.remove(at: random.below(bytes.count))
            default: bytes.removeLast(random.below(bytes.count))
            }
            guard
                let packed = try? PackedVersions(bytes, pages: pages, total: versions.count)
            else { continue }
            // An accepted page is a possible history.
            let isHistory = (0..<packed.count).allSatisfy { place in
                packed[place].parent < place && packed[place].redo < versions.count
            }
            #expect(isHistory)
        }
    }

    @Test func `a line takes over its packed versions, and goes on`() async throws {
        let journal = InMemoryJournal()
        let store = DocumentStore(journal: journal, now: { ManualTime().now })
        let id = try #require(DocumentID("menu"))
        _ = try await store.change(id, ChangeRequest(.put(0)))
        for value in 1...2_100 { _ = try await store.change(id, .append(JSON(value))) }
        try until { (try? journal.checkpoint(of: id, notAfter: .max)) != nil }
        _ = try await store.change(id, .append(9_999))
        let undone = try await store.change(id, ChangeRequest(.move(.undo(count: 2_000))))
        #expect(undone.document.tree == 101)
        _ = try await store.change(id, ChangeRequest(.move(.redo(count: 1_999))))
        #expect(try await store.read(id).tree == 2_100)
        #expect(try await store.read(id).history.undoCount == 2_100)
        store.close()
    }
}

extension VersionHistory where Step: Hashable {
    /// The steps behind the current version or ahead of it: the slow obvious way.
    fileprivate var allStepsOnBranch: Set<Step> {
        var isOn = [Bool](repeating: false, count: state.versions.count)
        var place = state.current
        while place >= 0 {
            isOn[Int(place)] = true
            place = state.versions[Int(place)].parent
        }
        for start in [state.current] + state.scopes.map(\.outerRedo) {
            var next =
                start == state.current
                ? state.versions[Int(state.current)].redo : start
            while next >= 0 && !isOn[Int(next)] {
                isOn[Int(next)] = true
                next = state.versions[Int(next)].redo
            }
        }
        var steps: Set<Step> = []
        for (index, version) in state.versions.enumerated() where isOn[index] {
            steps.formUnion(version.steps.list)
        }
        return steps
    }
}
