import JSONTree
import TestSupport
import Testing
import Threading
import VersioningKit

@testable import DocumentCore
@testable import Documents

/// The system's clock is set wrong, and put right: nothing depends on it but the times that people
/// read (D12).
@Suite struct ClockStepTests {
    private let year = 365 * 86_400_000

    @Test func `a scope lasts as long as it says, though the clock was set back by a year`() throws
    {
        var wrong = try LineScene(at: Timestamp(milliseconds: year))
        _ = wrong.request(.put(0))
        _ = wrong.commit()
        var scene = try wrong.reloaded(at: Timestamp(milliseconds: 1_000))
        #expect(scene.request(.scope(2_000)) == ["commit 1"])
        #expect(scene.commit().contains("wake at 3000"))
        #expect(scene.pass(1_999) == ["wake at 3000"])
        #expect(scene.pass(1) == ["scope expired"])
        #expect(scene.line.committed.time == Timestamp(milliseconds: year), "never back")
    }

    @Test func `a scope that was open when the clock was set back ends in time`() throws {
        var wrong = try LineScene(at: Timestamp(milliseconds: year))
        _ = wrong.request(.put(0))
        _ = wrong.commit()
        _ = wrong.request(.scope(2_000))
        _ = wrong.commit()
        var scene = try wrong.reloaded(at: Timestamp(milliseconds: 1_000))
        #expect(scene.line.clockTime == Timestamp(milliseconds: 3_000))
        #expect(scene.pass(2_000) == ["scope expired"])
        #expect(scene.receive(.closingExpired, fetched: scene.fetched(1...1)).first == "commit 2")
    }

    @Test func `quick edits make one version only while they are quick`() throws {
        var wrong = try LineScene(at: Timestamp(milliseconds: year))
        _ = wrong.request(.put(0))
        _ = wrong.commit()
        var scene = try wrong.reloaded(at: Timestamp(milliseconds: 0))
        for (edit, pause) in [(1, 0), (2, 400), (3, 600)] {
            _ = scene.pass(pause)
            _ = scene.request(.edit(JSON(edit), window: 500))
            _ = scene.commit()
        }
        #expect(
            scene.line.committed.history.currentID == 3, "the third one is a version of its own")
        let times = scene.stored.dropFirst().map(\.time.milliseconds)
        #expect(times == [year, year + 400, year + 1_000], "as fast as the clock")
    }

    @Test func `a request is known when the clock was set forward by a year`() throws {
        var scene = try LineScene.with(0)
        for number in 0..<RequestLog.countMin {
            var request = ChangeRequest(.edit(JSON(number + 1)))
            request.token = RequestToken(key: "\(number)", fingerprint: JSON(number).contentHash)
            _ = scene.receive(request)
            _ = scene.commit()
        }
        var later = try scene.reloaded(at: Timestamp(milliseconds: year))
        var request = ChangeRequest(.edit("another"))
        request.token = RequestToken(key: "new", fingerprint: JSON("another").contentHash)
        _ = later.receive(request)
        _ = later.commit()
        for number in [1, RequestLog.countMin - 1] {
            request = ChangeRequest(.edit(JSON(number + 1)))
            request.token = RequestToken(key: "\(number)", fingerprint: JSON(number).contentHash)
            let words = later.receive(request)
            #expect(words.first?.hasSuffix("\(ChangeError.repeated(revision: number + 1))") == true)
        }
    }

    /// A clock of the system, and one that is never set.
    private struct Clocks {
        let wall = Lock(Duration.seconds(1_000))
        let elapsed = Lock(Duration.zero)
        let told = Lock<[Duration]>([])

        func steady() -> SteadyClock {
            SteadyClock(
                wall: { [wall] in wall.withLock { $0 } },
                elapsed: { [elapsed] in elapsed.withLock { $0 } },
                notify: { [told] ahead in told.withLock { $0.append(ahead) } })
        }

        func pass(_ duration: Duration) {
            wall.withLock { $0 += duration }
            elapsed.withLock { $0 += duration }
        }
    }

    @Test(arguments: [1, -1])
    func `the time goes on steadily when the system's clock is set, and approaches it`(
        sign: Int
    ) throws {
        let clocks = Clocks()
        let steady = clocks.steady()
        clocks.pass(.seconds(5))
        #expect(steady.now() == Timestamp(milliseconds: 1_005_000))
        clocks.wall.withLock { $0 += .seconds(sign * 60) }
        #expect(steady.now() == Timestamp(milliseconds: 1_005_000), "no step")
        for _ in 0..<10 {
            clocks.pass(.seconds(1))
            _ = steady.now()
        }
        #expect(steady.now() == Timestamp(milliseconds: 1_015_000 + sign * 1_000))
        #expect(clocks.told.withLock { $0 } == [.seconds(sign * 60)], "told once")
        clocks.pass(.seconds(600))
        #expect(steady.now() == Timestamp(milliseconds: 1_615_000 + sign * 60_000), "arrived")
        clocks.wall.withLock { $0 += .seconds(3_600) }
        _ = steady.now()
        #expect(clocks.told.withLock { $0.count } == 2, "told again")
    }

    @Test
    func `the time begins with the shared clock, or the earlier one of two that differ (PG6)`() {
        func beginning(_ here: Int, _ there: Int) -> Duration {
            SteadyClock.beginning(here: .seconds(here), there: .seconds(there))
        }
        #expect(beginning(1_000, 1_009) == .seconds(1_009))
        #expect(beginning(1_009, 1_000) == .seconds(1_000))
        #expect(beginning(1_000, 99_999) == .seconds(1_000), "no history is forgotten by it")
        #expect(beginning(99_999, 1_000) == .seconds(1_000))
    }

    @Test func `a step by years is not followed`() throws {
        let clocks = Clocks()
        let steady = clocks.steady()
        clocks.wall.withLock { $0 -= .seconds(10 * 365 * 86_400) }
        var last = steady.now()
        for _ in 0..<100 {
            clocks.pass(.milliseconds(10))
            let now = steady.now()
            let passed = now.milliseconds - last.milliseconds
            #expect((8...10).contains(passed))
            last = now
        }
    }
}
