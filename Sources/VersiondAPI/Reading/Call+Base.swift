import Documents
import HTTPServing
import JSONTree
import Naming

extension Call {
    /// `?base=`, `?own=` and `?conflict=`: the state that an edit was made on.
    func base() throws(Problem) -> EditBase? {
        guard let text = query("base") else {
            for name in ["own", "conflict"] where query(name) != nil {
                throw Problem(
                    .malformedRequest, "\(name) requires base.",
                    hint: "Set base to the revision on which the edit was made: base=7.")
            }
            return nil
        }
        guard fields["if-none-match"] == nil else {
            throw Problem(
                .malformedRequest, "If-None-Match and base exclude each other.",
                hint: "Send base for an existing document, and If-None-Match for a new one.")
        }
        return EditBase(try state(text), own: try own(), policy: conflictPolicy)
    }

    private func state(_ text: String) throws(Problem) -> StateAddress {
        let state = try state(text, named: "base")
        guard state.isRevision else {
            throw Problem(
                .malformedRequest, "\(text) cannot be used as a base.",
                hint: "Set base to the revision on which the edit was made: base=7.")
        }
        return state
    }

    /// Revisions or idempotency keys, the oldest first.
    private func own() throws(Problem) -> [EditBase.Own] {
        guard let text = query("own"), !text.isEmpty else { return [] }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= EditBase.ownMax, !parts.contains("") else {
            throw Problem(
                .malformedRequest, "own has 1 to \(EditBase.ownMax) changes.",
                hint: "List revisions or idempotency keys of your changes after base: own=9,10.")
        }
        let own = parts.map { part -> EditBase.Own in
            WholeNumber.parse(part).map { .revision($0) } ?? .key(Name(part))
        }
        return try meaning { numbering throws(ChangeError) in try numbering.own(own) }
    }

    /// `?conflict=`: one of the three, as the table demands.
    var conflictPolicy: ConflictPolicy {
        query("conflict").flatMap { ConflictPolicy(word: $0) } ?? .reject
    }
}

extension ConflictPolicy {
    /// The policy that a word names.
    init?(word: String) {
        switch word {
        case "reject": self = .reject
        case "mine": self = .mine
        case "theirs": self = .theirs
        default: return nil
        }
    }
}
