import JSONTree

/// Whether the history has something to undo and to redo, as far as the daemon has reported it.
struct Availability: Equatable {
    private(set) var hasUndo = false
    private(set) var hasRedo = false
    private var revision = -1

    /// Changes of others that can take from an actor what there is to undo.
    private static let reaching: Set<String> = [
        "undo", "redo", "goto", "discard-scope", "delete", "undelete", "settings",
    ]

    /// A response or a status. Responses come in any order. Returns whether it says it.
    mutating func note(_ answer: JSON, of actor: String) -> Bool {
        let own = actor.isEmpty ? answer : answer["own"]
        guard let own, let revision = answer["revision"]?.int, let undo = own["hasUndo"],
            let redo = own["hasRedo"], actor.isEmpty || own["actor"]?.string == actor
        else { return false }
        set(undo == true, redo == true, at: revision)
        return true
    }

    /// A change of the feed that comes without a response. Returns whether the status has to be
    /// asked for.
    mutating func receive(_ item: JSON, of actor: String) -> Bool {
        if actor.isEmpty { return !note(item, of: actor) }
        let change = item["change"]
        guard let kind = change?["kind"]?.string, let revision = item["revision"]?.int else {
            return false
        }
        if kind == "append", change?["actor"]?.string == actor {
            set(true, false, at: revision)
            return false
        }
        guard Availability.reaching.contains(kind) else { return false }
        return change?["of"]?.string.map { $0 == actor } ?? true
    }

    private mutating func set(_ undo: Bool, _ redo: Bool, at revision: Int) {
        guard revision >= self.revision else { return }
        (hasUndo, hasRedo, self.revision) = (undo, redo, revision)
    }
}
