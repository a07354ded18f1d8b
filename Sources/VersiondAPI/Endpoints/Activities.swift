import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// How much was done in a document, over its time.

extension DocumentsAPI {
    /// The limit on the spans of one answer: about as many as a screen has room for.
    static let spansMax = 1_000
    static let spansDefault = 200

    /// `GET …/activity?spans=`: when something was done, and by whom.
    func activity(_ call: Call, _ id: DocumentID) throws(Problem) {
        let count = try call.number(
            "spans", in: 1...DocumentsAPI.spansMax, default: DocumentsAPI.spansDefault)
        respond(call, reading: id) { document, past throws(Problem) in
            do throws(ChangeError) {
                return call.json(
                    try past.activity(of: document, spans: count), of: document, count)
            } catch {
                throw call.problem(error)
            }
        }
    }
}

extension Call {
    fileprivate func json(
        _ activity: Activity, of document: Document, _ count: Int
    ) -> HTTPResponse {
        var text = jsonText()
        text.object { text in
            text.document(document.id)
            text.revision("revision", document.revision)
            text.member("began", RFC3339.text(activity.times.lowerBound))
            text.member("ended", RFC3339.text(activity.times.upperBound))
            text.member("spanCount", count)
            text.member("isSampled", activity.isSampled)
            text.name("spans")
            text.array(activity.spans) { text, span in text.object { $0.describe(span) } }
        }
        return json(text, revision: document.revision)
    }
}

extension JSONText {
    fileprivate mutating func describe(_ span: Activity.Span) {
        member("index", span.index)
        revision("first", span.revisions.lowerBound)
        revision("last", span.revisions.upperBound)
        member("changeCount", span.changes.values.reduce(0, +))
        name("shares")
        let actors = span.changes.sorted { $0.key < $1.key }.filter { $0.key != .nobody }
        array(actors) { text, actor in
            text.object { text in
                text.member("actor", actor.key)
                text.member("changeCount", actor.value)
            }
        }
    }
}
