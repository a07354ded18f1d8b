import Naming
import Testing
import VersioningKit

/// Time is drawn: one character is 100 ms, `-` is quiet, `!` seals, an upper case letter is another
/// actor's edit.
@Suite struct GroupingTests {
    private func versions(_ timeline: String, window: Duration, max: Duration = .seconds(60))
        -> [String]
    {
        var history = VersionHistory<Character>()
        let grouping = Grouping(window: window, max: max)
        for (index, letter) in timeline.enumerated() where letter != "-" {
            if letter == "!" {
                history.seal()
                continue
            }
            let time = Duration.milliseconds(100 * index)
            let actor: Name = letter.isUppercase ? "bob" : "ada"
            let joins = history.joins(actor: actor, at: time, grouping: grouping)
            history.append(
                letter, id: index + 1, joining: joins, actor: actor, at: time, grouping: grouping)
        }
        return history.state.versions.dropFirst().map { String($0.steps.list) }
    }

    @Test(arguments: [
        ("abc", ["abc"]),
        ("ab-----c", ["ab", "c"]),
        ("a-b-c-d", ["abcd"]),
        ("ab!c", ["ab", "c"]),
        ("a----b-----c", ["ab", "c"]),
    ])
    func `quiet for the window starts a new version`(timeline: String, expected: [String]) {
        #expect(versions(timeline, window: .milliseconds(500)) == expected)
    }

    @Test func `a group that is as old as max takes in nothing more`() {
        let typed = versions("abcdefghij", window: .milliseconds(500), max: .milliseconds(400))
        #expect(typed == ["abcd", "efgh", "ij"])
    }

    @Test func `another actor's edit seals`() {
        #expect(versions("abXYc", window: .milliseconds(500)) == ["ab", "XY", "c"])
    }

    @Test func `without grouping every edit is a version, even at one instant`() {
        var history = VersionHistory<Int>()
        for id in 1...3 {
            let joins = history.joins(actor: "", at: .zero, grouping: .none)
            history.append(id, id: id, joining: joins, at: .zero)
        }
        #expect(history.undoCount == 3)
    }

    @Test func `a clock that goes back counts as no time passed`() {
        var history = VersionHistory<Int>()
        let grouping = Grouping(window: .milliseconds(500), max: .seconds(9))
        history.append(1, id: 1, actor: "ada", at: .seconds(100), grouping: grouping)
        #expect(history.joins(actor: "ada", at: .seconds(50), grouping: grouping))
    }

    @Test func `undo counts the open group and seals it`() throws {
        var history = VersionHistory<Int>()
        let grouping = Grouping(window: .milliseconds(500), max: .seconds(9))
        history.append(1, id: 1, actor: "ada", at: .zero, grouping: grouping)
        history.append(2, id: 2, joining: true, actor: "ada", at: .zero, grouping: grouping)
        let target = try history.target(of: .undo(count: 1))
        #expect(history.route(to: target).undone == [2, 1])
        history.move(to: target)
        #expect(history.openGroup == nil)
        #expect(!history.joins(actor: "ada", at: .zero, grouping: grouping))
    }
}
