import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling

// A document that begins as another one was.

extension DocumentsAPI {
    /// `PUT …?from=menu@version:12`: the value that stands there. The label says where it is from.
    func copy(_ call: Call, _ id: DocumentID, _ source: String) throws(Problem) {
        guard call.request.body.isEmpty else {
            throw Problem(
                .malformedRequest, "With from, the value is that of another document.",
                hint: "Send no body.")
        }
        let (origin, address) = try DocumentsAPI.origin(source)
        guard call.grant.covers(origin.name) else {
            throw Problem(
                AccessControl.Refusal.outsidePrefix(call.grant.prefix, name: call.grant.name))
        }
        store.withPast(of: origin, while: call.isAwaited) { [self] found in
            do throws(Problem) {
                let (head, past) = try DocumentsAPI.living(found)
                let then = try address.document(head, past)
                try submit(
                    call, id, .put(then.tree), label: "copied from \(source)",
                    base: try call.base(), isDryRun: try call.isDryRun())
            } catch {
                call.refuse(error)
            }
        }
    }

    /// `menu@version:12`, or `menu` for what it is now. Names and tags may have an @, too: what
    /// follows the first one that an address follows is the address.
    private static func origin(_ text: String) throws(Problem) -> (DocumentID, Address) {
        for end in text.utf8.indices where text.utf8[end] == UInt8(ascii: "@") {
            let rest = String(text[text.utf8.index(after: end)...])
            if let address = try? Address(rest, named: "from"),
                let id = DocumentID(String(text[..<end]))
            {
                return (id, address)
            }
        }
        guard let id = DocumentID(text) else {
            throw Problem(
                .malformedRequest, "from is the name of a document, and a state of it.",
                hint: "from=menu@version:12, from=menu@tag:draft, from=menu")
        }
        return (id, .head)
    }
}
