import JSONTree

// The tools that change documents.

extension AgentTool {
    private static let isNew: [(name: String, value: String)] = [("If-None-Match", "*")]

    static func create(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let call = documentCall(
            "PUT", arguments.document, [], arguments.change(), fields: isNew,
            body: arguments["value"] ?? .null, by: try arguments.run())
        return .ask(
            call,
            orElse: { problem in
                .failed(
                    problem.isConflict
                        ? problem.hinting("Read the document, and use edit.") : problem)
            }, then: arguments.told)
    }

    static func edit(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let query = arguments.query(("conflict", arguments.text("conflict")))
        return try patch(arguments["patch"] ?? [], arguments, query) { problem in
            problem.isConflict
                ? problem.hinting("Read the document again and repeat the edit, or set conflict.")
                : problem
        }
    }

    static func replaceText(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        guard let old = arguments["old"], old != "" else {
            throw ToolProblem(
                "old must not be empty.",
                hint: "Copy the text around the place into old, and repeat it in new.")
        }
        let operation: JSON = [
            "op": "str_replace",
            "path": JSON(try ToolArguments.pointer(arguments.text("path") ?? "")),
            "find": old, "str": arguments["new"] ?? "",
        ]
        return try patch([operation], arguments) { problem in
            switch problem.code {
            case "text-not-found":
                problem.hinting(
                    "Read the string again and copy old exactly: spaces and line ends count.")
            case "text-not-unique":
                problem.hinting(
                    "Add the text around the place to old and to new, so that old occurs once.")
            default:
                problem.isConflict
                    ? problem.hinting("Read the document again and repeat the edit.") : problem
            }
        }
    }

    private static func patch(
        _ patch: JSON, _ arguments: ToolArguments, _ query: ToolArguments.Query = [],
        hinting: @escaping @Sendable (ToolProblem) -> ToolProblem
    ) throws(ToolProblem) -> ToolStep {
        let document = arguments.document
        let call = documentCall(
            "PATCH", document, [], arguments.change() + arguments.number("base") + query,
            body: patch, by: try arguments.run())
        return .ask(
            call, orElse: { .failed(hinting($0), about: document) }, then: arguments.told)
    }

    static func propose(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let (document, run) = (arguments.document, try arguments.run())
        let draft = "\(document)~\(run)"
        let copy = documentCall(
            "PUT", draft, [], arguments.query(("copyOf", whole(document))), fields: isNew, by: run)
        let edit = documentCall(
            "PATCH", draft, [], arguments.change(), body: arguments["patch"] ?? [], by: run)
        let edited = ToolStep.ask(edit) { edited in
            let diff = documentCall(
                "GET", draft, ["diff"], arguments.query(("from", "origin"), ("to", "head")))
            return .ask(diff) { .done(proposal(draft, edited.body, $0.body)) }
        }
        // A conflict: it is there, from an earlier proposal.
        return .ask(
            copy, orElse: { $0.isConflict ? edited : .failed($0, about: document) },
            then: { _ in edited })
    }

    /// A document as the origin of a copy: behind an @ its name may look like a state.
    private static func whole(_ document: String) -> String {
        document.contains("@") ? document + "@head" : document
    }

    private static func proposal(_ draft: String, _ edited: JSON, _ difference: JSON) -> JSON {
        [
            "draft": JSON(draft), "revision": edited["revision"] ?? .null,
            "patch": difference["patch"] ?? .null,
            "hint": JSON(
                "A person reviews it with versionctl draft diff '\(draft)' and merges it with "
                    + "versionctl draft merge '\(draft)' --end."),
        ]
    }

    // MARK: Runs

    static func beginRun(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let run = ToolContext.run(of: arguments.context.name, arguments.context.digits)
        let begun = ToolStep.done([
            "run": JSON(run),
            "hint": "Send it as run with each edit of this task, and call end_run at its end.",
        ])
        // The run is a name: it is valid also where the daemon does not let it be opened.
        return .ask(
            opening(run, arguments.query(("label", arguments.text("why")))),
            orElse: { _ in begun }, then: { _ in begun })
    }

    static func endRun(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        let run = try arguments.run()
        let closing = ToolCall(
            "POST", ["v1", "runs", run, "close"], by: actor(of: run, arguments))
        return .ask(closing) { .done(["run": JSON(run), "open": $0.body["open"] ?? false]) }
    }

    /// The call that opens a run.
    private static func opening(_ run: String, _ query: ToolArguments.Query) -> ToolCall {
        ToolCall("PUT", ["v1", "runs", run], query, by: run)
    }

    /// The actor that undoes, redoes or closes a run: the run itself, if it is the client's;
    /// otherwise the client, who needs the right to undo others' edits.
    private static func actor(of run: String, _ arguments: ToolArguments) -> String? {
        let owner = arguments.context.owner
        return owner.isEmpty || run.hasPrefix(owner + "/") ? run : nil
    }

    static func undoRun(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        try move("undo", "run undone", arguments)
    }

    static func redoRun(_ arguments: ToolArguments) throws(ToolProblem) -> ToolStep {
        try move("redo", "run redone", arguments)
    }

    private static func move(
        _ word: String, _ label: String, _ arguments: ToolArguments
    ) throws(ToolProblem) -> ToolStep {
        let run = try arguments.run()
        let document = arguments.text("document")
        let listed = arguments["documents"]?.elements
        let others = (listed ?? []).filter { $0.string != document }
        // The agent itself says that its run is over.
        var body: [(String, JSON)] = [("all", ["actor": JSON(run)]), ("close", true)]
        // An empty list is refused: it must not mean all documents.
        if document != nil || listed != nil {
            let documents = others + (document.map { [JSON($0)] } ?? [])
            body.append(("documents", JSON(elements: documents)))
        }
        for name in ["keep", "match"] { arguments[name].map { body.append((name, $0)) } }
        let query = arguments.query(("conflict", arguments.text("conflict")))
        let call = ToolCall(
            "POST", ["v1", word], arguments.change(label) + query, body: JSON(members: body),
            by: actor(of: run, arguments))
        return .ask(call, then: arguments.told)
    }
}
