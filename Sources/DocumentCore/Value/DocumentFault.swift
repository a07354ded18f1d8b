/// Something that went wrong with a document itself: no client is to blame.
public struct DocumentFault: Sendable {
    public let error: ChangeError
    public let time: Timestamp

    /// `nil` for an error that is only a refusal.
    package init?(_ error: ChangeError, at time: Timestamp) {
        switch error {
        case .mismatch, .journal: break
        default: return nil
        }
        self.error = error
        self.time = time
    }
}
