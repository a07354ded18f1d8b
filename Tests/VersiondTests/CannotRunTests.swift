import Documents
import Journaling
import Testing

@testable import versiond

/// The messages and statuses of commands that end early.
@Suite struct CannotRunTests {
    @Test(arguments: [
        (JournalError.unavailable("the database is in recovery"), Int32(74)),
        (.full("no room"), 74), (.corrupt("a page is damaged"), 65),
    ])
    func `what the journal says has one status, whichever way it comes`(
        error: JournalError, status: Int32
    ) {
        let ways: [any Error] = [
            error, JournalCopy.Refusal.journal(error), ChangeError.journal(error),
        ]
        #expect(ways.map { CannotRun($0)?.status } == [status, status, status])
        #expect(Set(ways.map(CannotRun.reason)).count == 1)
    }
}
