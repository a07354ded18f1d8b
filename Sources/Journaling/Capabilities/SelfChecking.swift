/// A journal that can tell what is wrong with it as a whole, beside what is wrong with a document.
public protocol SelfChecking: Journal {
    /// One sentence each. Reads all entries.
    func faults() throws(JournalError) -> [String]
}
