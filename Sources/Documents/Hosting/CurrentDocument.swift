import DocumentCore

/// A document as a request finds it: with all that was confirmed before the request came.
struct CurrentDocument: Sendable {
    let host: DocumentHost
    /// As the journal has it, where the host cannot have it yet: commits of its own are in flight.
    let newer: Document?

    /// The document. Counts as a use of it.
    var document: Document { newer ?? host.document }
}
