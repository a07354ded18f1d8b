public import DocumentCore
public import Journaling

/// `match` of a request about several documents: the revisions at which they have to be, as the
/// client sees them.
public struct MatchOfMany: Sendable {
    public let revisions: [DocumentID: Int]
    /// How the revisions of a document look.
    private let numbering: @Sendable (DocumentID) -> Numbering

    public init(
        _ revisions: [DocumentID: Int] = [:],
        numbering: @escaping @Sendable (DocumentID) -> Numbering = { _ in .uncut }
    ) {
        self.revisions = revisions
        self.numbering = numbering
    }

    /// The condition on a document; `nil` if there is none.
    public func condition(on document: DocumentID) -> Precondition.Revisions? {
        numbering(document).revisions(shown(document))
    }

    /// The same as the client sees it.
    func shown(_ document: DocumentID) -> Precondition.Revisions? {
        revisions[document].map { .these([$0]) }
    }

    /// The conditions on documents that the request does not change.
    public func conditions(besides documents: [DocumentID]) -> [TransactionRequest.Member] {
        revisions.keys.filter { !documents.contains($0) }.sorted().map { document in
            var request = ChangeRequest(.nothing)
            request.precondition.match = condition(on: document)
            return TransactionRequest.Member(document, request)
        }
    }
}
