import Documents
import JSONTree
import Journaling

extension MatchOfMany {
    /// Of a body, as its schema demands.
    init(_ body: JSON, for call: Call) throws(Problem) {
        var revisions: [DocumentID: Int] = [:]
        for (name, revision) in body["match"]?.members ?? [] {
            revisions[try MatchOfMany.document(name, in: "match")] = revision.int
        }
        self.init(revisions) { [numberings = call.numberings] in
            numberings?.shown($0) ?? .uncut
        }
    }

    /// The document that is named in a member of the body.
    static func document(
        _ name: String, in member: String
    ) throws(Problem) -> DocumentID {
        if let document = DocumentsAPI.reachable(name) { return document }
        throw Problem(
            malformed: JSONPointer(names: [member, name]).description,
            "This is not a name of 1 to \(DocumentID.bytesMax) bytes.")
    }

    /// The number of an element means another one after each insertion before it: throws if a place
    /// has one, and the document need not be at a revision.
    func check(_ places: [JSONPointer], in document: DocumentID) throws(Problem) {
        guard revisions[document] == nil, let place = places.first(where: \.hasNumbers) else {
            return
        }
        throw Problem(
            malformed: JSONPointer(names: ["match", document.name]).description,
            "\(place) has a number, so the revision of \(document.name) is required.",
            hint: "Send the revision at which you read the place: "
                + "\"match\":{\"\(document.name)\":7}")
    }
}
