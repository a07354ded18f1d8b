public import Journaling

/// Why a request changed nothing, and the document that refused it.
public struct Refusal: Error, Sendable {
    public let error: ChangeError
    /// The document as it was then; `nil` where nothing is known of it.
    public let document: Document?
    /// Which document refused it, where that may be another one than was asked to change.
    public private(set) var place: DocumentID?

    package init(_ error: ChangeError, by document: Document? = nil) {
        self.error = error
        self.document = document
    }

    package func inDocument(_ place: DocumentID) -> Refusal {
        var refusal = self
        refusal.place = place
        return refusal
    }
}
