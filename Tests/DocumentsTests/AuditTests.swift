import Journaling
import TestSupport
import Testing

@testable import DocumentCore
@testable import Documents

/// The findings of the operator's check.
@Suite struct AuditTests {
    @Test func `a document that is listed as deleted and is not is told, and the other way round`()
        async throws
    {
        let journal = InMemoryJournal()
        let store = DocumentStore(journal: journal, now: { ManualTime().now })
        defer { store.close() }
        let (there, gone) = (try #require(DocumentID("there")), try #require(DocumentID("gone")))
        for id in [there, gone] { _ = try await store.change(id, ChangeRequest(.put(1))) }
        _ = try await store.change(gone, ChangeRequest(.delete))
        for id in [there, gone] {
            #expect(throws: Never.self) { try Audit.check(id, journal) }
            let error = #expect(throws: ChangeError.self) {
                try Audit.check(id, MislistingJournal(base: journal))
            }
            #expect("\(try #require(error))".contains("listed otherwise"))
        }
    }
}

/// Says of each document the opposite.
private struct MislistingJournal: ForwardingJournal {
    let base: any Journal

    func documents(
        prefix: String, after name: String?, limit: Int
    ) throws(JournalError) -> [DocumentListing] {
        try base.documents(prefix: prefix, after: name, limit: limit).map {
            DocumentListing(
                document: $0.document, revision: $0.revision, isDeleted: !$0.isDeleted)
        }
    }
}
