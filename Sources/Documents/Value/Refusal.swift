/// Why a request changed nothing, and the document that refused it.
public struct Refusal: Error, Sendable {
    public let error: ChangeError
    /// The document as it was then; `nil` where nothing is known of it.
    public let document: Document?

    init(_ error: ChangeError, by document: Document? = nil) {
        self.error = error
        self.document = document
    }
}
