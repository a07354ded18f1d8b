import DocumentCore
import Journaling
public import Naming

/// How much was done in a document, and by whom, over its time.
public struct Activity: Sendable {
    /// A span of time in which something was done.
    public struct Span: Sendable {
        /// Its place among all spans, from 0.
        public let index: Int
        /// The first and the last revision in it.
        public internal(set) var revisions: ClosedRange<Int>
        /// The approximate number of changes of each actor; those without an actor have the empty
        /// name.
        public internal(set) var changes: [Name: Int]
    }

    /// When the first and the last change were made.
    public let times: ClosedRange<Timestamp>
    /// Those in which something was done, the oldest first.
    public internal(set) var spans: [Span]
    /// Whether only a sample of the changes was read, evenly spread, and counted for the others.
    public let isSampled: Bool
}

extension DocumentPast {
    /// Longer histories are sampled: this number of runs, each of `runLength` changes.
    private static let runs = 256
    private static let runLength = 16

    /// The activity in `count` spans of equal length. Reads 4,352 changes at most.
    public func activity(of document: Document, spans count: Int) throws(ChangeError) -> Activity {
        let first = document.oldestRevision
        let total = document.revision - first + 1
        let most = DocumentPast.runs * DocumentPast.runLength
        let stride = max(DocumentPast.runLength, total / DocumentPast.runs)
        let weight = total > most ? stride / DocumentPast.runLength : 1
        let start = try change(at: first).time
        let end = max(start, document.time)
        var activity = Activity(times: start...end, spans: [], isSampled: total > most)
        for run in Swift.stride(from: first, through: document.revision, by: stride) {
            let limit = min(DocumentPast.runLength, document.revision - run + 1)
            for change in try changes(from: run, limit: limit).map({ $0.outlined() }) {
                activity.note(change, weight: weight, of: count)
            }
        }
        return activity
    }
}

extension Activity {
    fileprivate mutating func note(_ change: Change, weight: Int, of count: Int) {
        let length = max(1, times.upperBound.milliseconds - times.lowerBound.milliseconds)
        let offset = change.time.milliseconds - times.lowerBound.milliseconds
        let index = min(count - 1, max(0, offset * count / length))
        if spans.last?.index != index {
            let revisions = change.revision...change.revision
            spans.append(Span(index: index, revisions: revisions, changes: [:]))
        }
        let last = spans.count - 1
        spans[last].revisions = spans[last].revisions.lowerBound...change.revision
        spans[last].changes[change.actor, default: 0] += weight
    }
}
