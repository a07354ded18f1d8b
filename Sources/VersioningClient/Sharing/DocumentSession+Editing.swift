import JSONTree

// Edits, undo and redo.

extension DocumentSession {
    var canUndo: Bool {
        if isStuck { return replica.canUndoHere }
        return availability.hasUndo || replica.pending.contains(where: \.isEdit)
    }

    var canRedo: Bool { replica.canRedoHere || (!isStuck && availability.hasRedo) }

    /// Throws if nothing can be edited now.
    private func checkWritable() throws(DaemonProblem) {
        if isEnded { throw .closed }
        if isDeleted { throw .deleted }
        if !replica.isLoaded { throw DaemonProblem(code: "not-ready", detail: "It is not loaded.") }
    }

    /// Edits what is shown, and sends that.
    func edit(
        _ operations: JSONPatch, label: String?, group: String?
    ) throws(DaemonProblem) {
        try checkWritable()
        if operations.operations.isEmpty { return }
        let step = groups.next(at: connection.time.now(), group: group)
        do throws(JSONPatchError) {
            show(
                try replica.edit(
                    operations, key: newKey(), StepOptions(group: step, label: label)))
        } catch {
            throw DaemonProblem(code: "patch-does-not-apply", detail: error.description)
        }
        run()
    }

    /// Undoes the newest step: of the actor, if one is named.
    func undo() async throws(DaemonProblem) {
        groups.end()
        try checkWritable()
        if isStuck {
            let undone = here { replica throws(Diverged) in try replica.undoHere() }
            guard let shown = undone else { throw problem ?? .offline }
            show(shown)
            return run()
        }
        try await command("undo")
    }

    /// Redoes the newest step that was undone.
    func redo() async throws(DaemonProblem) {
        groups.end()
        try checkWritable()
        let key = newKey()
        let redone = here { replica throws(Diverged) in try replica.redoHere(key: key) }
        if let shown = redone {
            show(shown)
            return run()
        }
        if isStuck { throw problem ?? .offline }
        try await command("redo")
    }

    /// A step without the daemon; `nil` if there is none.
    private func here(_ body: (inout Replica) throws(Diverged) -> Shown?) -> Shown? {
        do throws(Diverged) {
            return try body(&replica)
        } catch {
            mustLoad = true
            Task { await catchUp() }
            return nil
        }
    }

    private func command(_ name: String) async throws(DaemonProblem) {
        let key = newKey()
        replica.add(command: name, JSON(members: []), key: key)
        run()
        let problem = await withCheckedContinuation { commands[key] = $0 }
        if let problem { throw problem }
    }
}
