import Foundation
import Journaling
import TestSupport
import Testing

@testable import SQLiteJournaling

/// What the journal does when files are missing or damaged.
struct DamagedStoreTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `a database that cannot be opened is an error, and nothing is freed twice (D1)`() {
        for _ in 0..<10 {
            #expect(throws: SQLiteError.self) {
                try SQLiteConnection(path: directory.path + "/no/such.sqlite", mode: .readOnly)
            }
        }
    }
}
