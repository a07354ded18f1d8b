import Journaling

/// A document, and how it fares.
public struct DocumentStatus: Sendable {
    public let document: Document
    /// What went wrong with it last, since it was loaded.
    public let lastFault: DocumentFault?
}

/// Something that went wrong with a document itself: no client is to blame.
public struct DocumentFault: Sendable {
    public let error: ChangeError
    public let time: Timestamp

    /// `nil` for what is only refused.
    init?(_ error: ChangeError, at time: Timestamp) {
        switch error {
        case .mismatch, .journal: break
        default: return nil
        }
        self.error = error
        self.time = time
    }
}
