/// A document as the journal has it.
package struct LoadedDocument {
    package var document: Document
    /// How many entries were replayed.
    package var replayed = 0
    package var requests = RequestLog()

    package init(document: Document, replayed: Int = 0, requests: RequestLog = RequestLog()) {
        self.document = document
        self.replayed = replayed
        self.requests = requests
    }
}
