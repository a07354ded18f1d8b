import CMeasure
import VersioningKit

/// A model as applications have it: activities inside activities.
private struct Activity: Versionable, Identifiable, Sendable {
    let id: Int
    var title: String
    var notes: String
    var children: [Activity]

    func addReversions(into reverter: inout some Reverter<Self>) {
        reverter.appendReversion(at: \.title)
        reverter.appendReversion(at: \.notes)
        reverter.appendReversion(at: \.children)
    }

    /// Ten times ten times ten activities, each with a text of its own.
    static func tree(_ id: Int = 0, depth: Int = 3) -> Activity {
        Activity(
            id: id, title: "activity number \(id)",
            notes: String(repeating: "a note on \(id), ", count: 10),
            children: depth == 0 ? [] : (0..<10).map { tree(id * 10 + $0 + 1, depth: depth - 1) })
    }
}

extension Bench {
    /// One leaf of a Swift model changes, is recorded and undone; against keeping whole copies.
    static func values() {
        print(
            "append and undo of one leaf in 1,111 nested activities: µs, and bytes a version kept")
        let rounds = 200
        var model = Activity.tree()
        let controller = VersioningController(model)
        let before = allocatedBytes
        let clock = ContinuousClock()
        let appended = clock.measure {
            for round in 0..<rounds {
                model.children[round % 10].children[3].children[7].title.append("x")
                controller.append(model)
            }
        }
        let kept = (allocatedBytes - before) / rounds
        let undone = clock.measure {
            for _ in 0..<rounds { try? controller.undo(&model) }
        }
        print(
            "  reversions: append \(each(appended, rounds)), undo \(each(undone, rounds)), "
                + "\(kept) bytes")
        copies(rounds)
    }

    /// The peer: every version is the whole value. Swift shares unchanged parts, so the report also
    /// has a copy that shares nothing, as one read from a file.
    private static func copies(_ rounds: Int) {
        var model = Activity.tree()
        var versions: [Activity] = []
        versions.reserveCapacity(rounds)
        let before = allocatedBytes
        let clock = ContinuousClock()
        let appended = clock.measure {
            for round in 0..<rounds {
                versions.append(model)
                model.children[round % 10].children[3].children[7].title.append("x")
            }
        }
        let kept = (allocatedBytes - before) / rounds
        let wholeBefore = allocatedBytes
        let whole = Activity.tree()
        let wholeBytes = allocatedBytes - wholeBefore
        withExtendedLifetime(whole) {
            print(
                "  whole copies: append \(each(appended, rounds)), \(kept) bytes shared, "
                    + "\(wholeBytes) bytes unshared")
        }
    }

    private static func each(_ time: Duration, _ rounds: Int) -> String {
        micro(time / .seconds(1) / Double(rounds))
    }
}
