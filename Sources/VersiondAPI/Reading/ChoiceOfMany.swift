import Documents
import JSONTree
import Journaling
import SelectiveUndo

/// The places that stay in each document, where many edits are undone as one step, and the
/// revisions at which the documents have to be.
struct ChoiceOfMany: Sendable {
    private var choices: [DocumentID: PartChoice] = [:]
    let match: MatchOfMany
    /// Whether parts of transactions are taken without their other parts.
    private let isAlone: Bool

    /// Of the body of an undo, as its schema demands.
    init(_ body: JSON, isAlone: Bool, for call: Call) throws(Problem) {
        self.isAlone = isAlone
        match = try MatchOfMany(body, for: call)
        for (name, kept) in body["keep"]?.members ?? [] {
            let document = try MatchOfMany.document(name, in: "keep")
            let places = kept.elements?.compactMap {
                $0.string.flatMap { JSONPointer(parsing: $0) }
            }
            let isNone = kept.bool == false || places?.isEmpty ?? false
            if isNone { continue }
            choices[document, default: PartChoice()].kept = places ?? [.root]
        }
        for (name, decisions) in body["resolve"]?.members ?? [] {
            let document = try MatchOfMany.document(name, in: "resolve")
            for (place, side) in decisions.members ?? [] {
                guard let place = JSONPointer(parsing: place) else { continue }
                choices[document, default: PartChoice()].decisions[place] =
                    side == "mine" ? .mine : .theirs
            }
        }
        for (document, choice) in choices {
            try match.check(choice.kept + choice.decisions.keys, in: document)
        }
    }

    /// Whether nothing is kept or decided.
    var isEmpty: Bool { choices.isEmpty }

    /// Whether a decision hides later work of others.
    var hidesWork: Bool {
        choices.values.contains { $0.decisions.values.contains(.mine) }
    }

    /// The documents that it names.
    var documents: Set<DocumentID> { Set(choices.keys).union(match.revisions.keys) }

    /// Adds it to the request for a document. If another document has a choice, parts of
    /// transactions may also have to stay here.
    func complete(_ member: inout TransactionRequest.Member) {
        if !choices.isEmpty {
            var choice = choices[member.document] ?? PartChoice()
            choice.keepsWholeParts = !isAlone
            member.request.choice = choice
        }
        if isAlone { member.request.parts = .alone }
        if let condition = match.condition(on: member.document) {
            member.request.precondition.match = condition
        }
    }
}
