import DocumentCore
import Journaling
import Threading

/// Asks a shared journal for the heads of documents: one question for all that wait.
///
/// A query begins after all requests that it serves have arrived. So a process that has that head
/// has all changes confirmed, by any process, before those requests.
final class HeadChecks: Sendable {
    typealias Reply = @Sendable (Result<JournalHead?, JournalError>) -> Void

    private struct Waiting {
        let document: DocumentID
        let reply: Reply
    }

    private let journal: any SharedJournal
    private let waiting = Lock<[Waiting]>([])
    private let thread: WorkQueue

    init(_ journal: any SharedJournal, hasThread: Bool) {
        self.journal = journal
        thread = WorkQueue(name: "heads", threads: hasThread ? 1 : 0)
    }

    /// `reply` receives the head of a document, on another thread.
    func head(of document: DocumentID, _ reply: @escaping Reply) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(Waiting(document: document, reply: reply))
            return waiting.count == 1
        }
        if isFirst && !thread.async({ [self] in ask() }) {
            finish(.failure(.stopped("the store is closed")))
        }
    }

    private func take() -> [Waiting] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    private func ask() {
        let asked = take()
        let result = Result { () throws(JournalError) in
            try journal.heads(of: Array(Set(asked.map(\.document))))
        }
        for one in asked { one.reply(result.map { $0[one.document] }) }
    }

    private func finish(_ result: Result<JournalHead?, JournalError>) {
        for one in take() { one.reply(result) }
    }

    func runNext() -> Bool { thread.runNext() }

    func stop() {
        thread.stop()
    }
}
