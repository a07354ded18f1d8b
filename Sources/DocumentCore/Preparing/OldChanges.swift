import JSONTree

/// The source of the changes of a document that memory no longer has: its journal. Only a
/// preparation that may take its time has one. Each call may block.
package protocol OldChanges: Sendable {
    /// Changes of consecutive revisions, the oldest first.
    func changes(_ range: ChangeRange) throws(ChangeError) -> [Change]
    /// The document as it was at a revision.
    func document(at revision: Int) throws(ChangeError) -> Document
    /// Where the changes did something that are in the segment of a revision; `nil` if that has to
    /// be read.
    func outline(holding revision: Int) throws(ChangeError) -> SegmentOutline?
}
