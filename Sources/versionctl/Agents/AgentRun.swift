import HTTPCalling
import JSONTree

/// One run of an agent: all its changes have one actor below the agent's name, so that they can be
/// distinguished from other runs, and undone.
struct AgentRun {
    let session: Session
    /// `agent-7/run-5f2c81aa`.
    let actor: String
    private let label: String?

    /// - Parameter id: eight digits that no other run has.
    init(_ common: CommonOptions, id: String, label: String?) throws(Trouble) {
        let actor = "\(try Session(common).me())/run-\(id)"
        var options = common
        options.actor = actor
        (self.actor, self.label) = (actor, label)
        session = try Session(options)
    }

    /// The result of a tool.
    func result(of tool: String, _ arguments: JSON) throws(Trouble) -> JSON {
        switch tool {
        case "list": try list(arguments)
        case "read": try read(arguments)
        case "history": try history(arguments)
        case "blame": try blame(arguments)
        case "diff": try diff(arguments)
        case "create": try create(arguments)
        case "edit": try edit(arguments)
        case "replace_text": try replaceText(arguments)
        case "propose": try propose(arguments)
        default: try undo(arguments)
        }
    }

    // MARK: Reading

    private func list(_ arguments: JSON) throws(Trouble) -> JSON {
        let limit = arguments["limit"]?.int ?? 100
        let page = try session.json(
            "/v1/documents",
            [("prefix", arguments["prefix"]?.string ?? ""), ("limit", "\(min(limit, 1_000))")])
        let names = page["documents"]?.elements?.compactMap { $0["document"] } ?? []
        var members: [(String, JSON)] = [("documents", JSON(elements: names))]
        if let next = page["next"], next.kind != .null {
            members.append(("hint", "The list is incomplete: use a longer prefix."))
        }
        return JSON(members: members)
    }

    private func read(_ arguments: JSON) throws(Trouble) -> JSON {
        let document = arguments.document
        let query = try place(arguments) + state(arguments)
        let answer = try session.found(document.name, try session.get(document.path, query))
        let revision = Int((answer.fields["etag"] ?? "").filter(\.isNumber)) ?? 0
        return [
            "document": JSON(document.name), "revision": JSON(revision),
            "value": try session.parsed(answer),
        ]
    }

    private func history(_ arguments: JSON) throws(Trouble) -> JSON {
        let limit = min(arguments["limit"]?.int ?? 20, 1_000)
        let query = given(
            ("limit", "\(limit)"), ("summary", ""), ("actor", arguments["actor"]?.string))
        return try session.json(
            of: arguments.document, "/versions", query + place(arguments))
    }

    private func blame(_ arguments: JSON) throws(Trouble) -> JSON {
        let query = try place(arguments) + state(arguments)
        return try session.json(of: arguments.document, "/blame", query)
    }

    private func diff(_ arguments: JSON) throws(Trouble) -> JSON {
        let from = try address(arguments["from"]?.string ?? "")
        let to = try address(arguments["to"]?.string ?? "head")
        return try session.json(of: arguments.document, "/diff", [("from", from), ("to", to)])
    }

    // MARK: Changing

    private func create(_ arguments: JSON) throws(Trouble) -> JSON {
        let value = arguments["value"] ?? .null
        do throws(Trouble) {
            return told(
                try session.change(
                    "PUT", arguments.document.path, change(arguments), body: value.serialized(),
                    fields: [("If-None-Match", "*")]), arguments)
        } catch {
            guard error.status == .conflict else { throw error }
            throw Trouble(error.status, error.sentence, hint: "Read the document, and use edit.")
        }
    }

    private func edit(_ arguments: JSON) throws(Trouble) -> JSON {
        let query = given(
            ("base", arguments["base"]?.int.map(String.init)),
            ("conflict", arguments["conflict"]?.string))
        do throws(Trouble) {
            return told(
                try patch(arguments["patch"] ?? [], arguments, arguments.document, query), arguments
            )
        } catch {
            guard error.status == .conflict else { throw error }
            throw Trouble(
                error.status, error.sentence,
                hint: "Read the document again and repeat the edit, or set conflict.")
        }
    }

    private func replaceText(_ arguments: JSON) throws(Trouble) -> JSON {
        guard let old = arguments["old"], old != "" else {
            throw Trouble(
                .usage, "old must not be empty.",
                hint: "Copy the text around the place into old, and repeat it in new.")
        }
        let operation: JSON = [
            "op": "str_replace",
            "path": JSON(try versionctl.place(arguments["path"]?.string ?? "")),
            "find": old, "str": arguments["new"] ?? "",
        ]
        let query = given(("base", arguments["base"]?.int.map(String.init)))
        do throws(Trouble) {
            return told(
                try patch([operation], arguments, arguments.document, query), arguments)
        } catch {
            guard error.status == .conflict else { throw error }
            let hint =
                switch error.code {
                case "text-not-found":
                    "Read the string again and copy old exactly: spaces and line ends count."
                case "text-not-unique":
                    "Add the text around the place to old and to new, so that old occurs once."
                default: "Read the document again and repeat the edit."
                }
            throw Trouble(error.status, error.sentence, hint: hint)
        }
    }

    private func patch(
        _ patch: JSON, _ arguments: JSON, _ document: DocumentAddress, _ query: [(String, String)]
    ) throws(Trouble) -> JSON {
        try session.found(
            document.name,
            try session.change(
                "PATCH", document.path, change(arguments) + query, body: patch.serialized(),
                type: "application/json-patch+json"))
    }

    private func propose(_ arguments: JSON) throws(Trouble) -> JSON {
        let name = arguments.document.name
        let draft = DocumentAddress(name: "\(name)~\(actor)")
        do throws(Trouble) {
            _ = try session.found(
                name,
                try session.change(
                    "PUT", draft.path, [("copyOf", name)], fields: [("If-None-Match", "*")]))
        } catch {
            // It is there, from an earlier proposal.
            if error.status != .conflict { throw error }
        }
        let answer = try patch(arguments["patch"] ?? [], arguments, draft, [])
        let found = try session.json(draft.path + "/diff", [("from", "origin"), ("to", "head")])
        return [
            "draft": JSON(draft.name), "revision": answer["revision"] ?? .null,
            "patch": found["patch"] ?? .null,
            "hint": JSON(
                "A person reviews it with versionctl draft diff '\(draft.name)' and merges it "
                    + "with versionctl draft merge '\(draft.name)' --end."),
        ]
    }

    private func undo(_ arguments: JSON) throws(Trouble) -> JSON {
        let named = given(
            ("all", ["actor": JSON(actor)]),
            ("documents", arguments["document"]?.string.map { JSON(elements: [JSON($0)]) }))
        let answer = try ManyEdits.undo.sent(by: session, change(arguments, "run undone"), named)
        return told(answer, arguments)
    }

    // MARK: In the query

    private func change(_ arguments: JSON, _ why: String? = nil) -> [(String, String)] {
        let label = arguments["why"]?.string ?? why ?? label
        return given(("label", label), ("dryRun", arguments.isDryRun ? "true" : nil))
    }

    private func told(_ answer: JSON, _ arguments: JSON) -> JSON {
        guard arguments.isDryRun, let members = answer.members else { return answer }
        let hint: JSON = "Nothing was changed. Repeat the call without dry_run to apply it."
        return JSON(members: members.map { ($0.name, $0.value) } + [("hint", hint)])
    }

    private func place(_ arguments: JSON) throws(Trouble) -> [(String, String)] {
        given(("path", try arguments["path"]?.string.map(versionctl.place)))
    }

    private func state(_ arguments: JSON) throws(Trouble) -> [(String, String)] {
        given(("at", try arguments["at"]?.string.map(address)))
    }

    private func address(_ text: String) throws(Trouble) -> String {
        guard let state = State(argument: text) else {
            throw Trouble(
                .usage, "\(text) is not a state.",
                hint: "Use 7 (a revision), version:3, tag:lunch, head, 2026-11-23 or 1h.")
        }
        return state.text
    }
}

extension JSON {
    fileprivate var document: DocumentAddress {
        DocumentAddress(name: self["document"]?.string ?? "")
    }
    fileprivate var isDryRun: Bool { self["dry_run"]?.bool == true }
}
