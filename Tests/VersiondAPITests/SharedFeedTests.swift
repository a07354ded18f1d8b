import JSONTree
import Journaling
import TestSupport
import Testing

/// A daemon among others, whose journal is unavailable for a time.
@Suite struct SharedFeedTests {
    @Test(arguments: [
        ("GET", "/v1/feed?cursor=1"), ("GET", "/v1/feed?cursor=1&wait=1s"), ("GET", "/v1/history"),
        ("POST", "/v1/undo"),
    ])
    func `what cannot be found out is not said to be unknown (PG2)`(
        method: String, path: String
    ) throws {
        let shared = InMemoryJournal(isShared: true)
        let journal = CutOffJournal(shared)
        let (near, far) = (try LocalDaemon(journal: journal), try LocalDaemon(journal: shared))
        // Another daemon gives a number that this one has not seen.
        journal.isCutOff = true
        for value in ["1", "2"] {
            let put = try far.client.request(
                "PUT", "/v1/documents/menu", LocalDaemon.json.by("ada"), body: value)
            #expect(put.status < 300)
        }
        let body = method == "POST" ? #"{"all":{"actor":"ada"}}"# : nil
        let answer = try near.client.request(method, path, LocalDaemon.json, body: body)
        #expect(answer.status == 503, "\(answer.text)")
        #expect(answer.code == "journal-unavailable" && answer["retry-after"] == "5")
        let problem: JSON = try answer.json
        #expect(problem["detail"]?.string?.contains("unavailable") == true)
        journal.isCutOff = false
        let later = try near.client.request(method, path, LocalDaemon.json, body: body)
        #expect((200..<300).contains(later.status), "\(later.text)")
    }
}
