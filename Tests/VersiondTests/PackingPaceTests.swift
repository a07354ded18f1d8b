import Journaling
import Testing

@testable import versiond

/// Packing takes at most a fifth of a core, and visiting all documents a twentieth of the time.
@Suite struct PackingPaceTests {
    @Test func `a step is followed by a pause four times as long`() {
        var pace = PackingPace()
        #expect(pace.pause(after: .packed(9), taking: .milliseconds(20)) == .milliseconds(80))
        #expect(pace.pause(after: .looked, taking: .milliseconds(3)) == .milliseconds(12))
        #expect(pace.pause(after: .looked, taking: .zero) == .milliseconds(5))
    }

    @Test func `a round is followed by a pause twenty times as long as its looks`() {
        var pace = PackingPace()
        for _ in 0..<100 { _ = pace.pause(after: .looked, taking: .milliseconds(10)) }
        #expect(pace.pause(after: .finished, taking: .zero) == .seconds(20))
        #expect(pace.pause(after: .finished, taking: .milliseconds(1)) == .seconds(10))
    }

    @Test func `much that was packed makes the pause between rounds no longer`() {
        var pace = PackingPace()
        for _ in 0..<1_000 { _ = pace.pause(after: .packed(256), taking: .milliseconds(30)) }
        #expect(pace.pause(after: .finished, taking: .milliseconds(1)) == .seconds(10))
    }
}
