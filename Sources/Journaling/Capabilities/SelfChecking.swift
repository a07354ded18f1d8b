/// A journal that can report faults of itself as a whole, besides those of a document.
public protocol SelfChecking: Journal {
    /// One sentence each. Reads all entries.
    func faults() throws(JournalError) -> [String]
}
