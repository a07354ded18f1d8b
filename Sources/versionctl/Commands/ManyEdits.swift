import ArgumentParser
import HTTPCalling
import JSONTree

/// An undo or a redo of many edits, in one document or several, as one step.
enum ManyEdits: String {
    case undo, redo

    /// The options that name the edits.
    struct Selected: ParsableArguments {
        @Option(help: "All edits of this actor.") var by: String?
        @Option(help: "All edits with this label.") var withLabel: String?
        @Option(help: "All edits after this state or time.") var since: State?
        @Option(help: "All edits up to this state or time.") var until: State?

        /// The selection in the form of the daemon.
        var body: JSON? {
            let members = given(
                ("actor", by), ("label", withLabel), ("since", since?.text),
                ("until", until?.text))
            // `nil` alone would be JSON's.
            return members.isEmpty ? JSON?.none : JSON(members: members.map { ($0, JSON($1)) })
        }
    }

    /// The options about documents.
    struct Scope: ParsableArguments {
        @Option(help: "Only documents with this prefix.") var prefix: String?
        @Option(
            help: ArgumentHelp(
                "A document, or a place of it, that stays as it is; repeatable.",
                valueName: "document[/path]"))
        var keep: [String] = []
    }

    /// Sends the request. `named` has the members of the body that name the edits.
    func sent(
        by session: Session, _ query: [(String, String)], _ named: [(String, JSON)],
        keeping words: [String] = [], match: [(String, JSON)] = []
    ) throws(Trouble) -> JSON {
        let kept = try session.kept(words)
        let matched = JSON(members: kept.match.filter { $0.0 != match.first?.0 } + match)
        let body = given(
            ("keep", words.isEmpty ? JSON?.none : JSON(members: kept.keep)),
            ("match", matched.count == 0 ? JSON?.none : matched))
        return try session.change(
            "POST", "/v1/\(rawValue)", query, body: JSON(members: named + body).serialized())
    }

    /// The effect on a document, in words.
    func words(_ part: JSON) -> String {
        let isGone = part["change"]?["kind"]?.string == "delete"
        let did =
            isGone
            ? "deleted, because the edits created it"
            : part["change"]?["kind"]?.string == "undelete"
                ? "restored" : Undo.words(self == .undo ? "undid" : "redid", part)
        let kept = ((part["change"]?["kept"] ?? part["kept"])?.elements ?? [])
            .compactMap(\.string)
            .map { $0.isEmpty ? "the document" : $0.visible }
        return kept.isEmpty ? did : "\(did); kept \(kept.joined(separator: ", "))"
    }

    /// Prints the effect on each document.
    func tell(_ answer: JSON, _ change: ChangeOptions, by session: Session) {
        if session.options.json { return session.screen.line(answer.text) }
        for part in answer["changes"]?.elements ?? [] {
            session.screen.tell(
                "\(part["document"]?.string?.visible ?? "?"): \(words(part))"
                    + (change.dryRun ? " (not done)" : ""))
        }
    }
}

extension Session {
    /// The members `keep` and `match` of a request, for documents and places that stay. `match` has
    /// the revisions on which the places are read.
    fileprivate func kept(
        _ words: [String]
    ) throws(Trouble) -> (keep: [(String, JSON)], match: [(String, JSON)]) {
        var keep: [(String, JSON)] = []
        var match: [(String, JSON)] = []
        for word in words {
            let (document, path, revision) = try place(word)
            guard let known = keep.firstIndex(where: { $0.0 == document }) else {
                keep.append((document, path.isEmpty ? true : JSON(elements: [JSON(path)])))
                if let revision { match.append((document, revision)) }
                continue
            }
            guard let places = keep[known].1.elements else { continue }
            keep[known].1 = path.isEmpty ? true : JSON(elements: places + [JSON(path)])
        }
        return (keep, match)
    }

    /// A document, and a place in it. Slashes are in names as well: the longest name counts.
    private func place(
        _ word: String
    ) throws(Trouble) -> (document: String, path: String, revision: JSON?) {
        var name = word[...]
        while !name.isEmpty {
            let path = DocumentAddress(name: String(name)).path + "/status"
            let answer = try repeated(HTTPCall("GET", path))
            if answer.status == 200, let revision = try parsed(answer)["revision"] {
                return (String(name), String(word[name.endIndex...]), revision)
            }
            // A document that an undo deleted can stay so.
            if answer.status == 410 { return (String(name), "", nil) }
            guard [403, 404, 410].contains(answer.status) else { throw Trouble(answer) }
            name = name[..<(name.lastIndex(of: "/") ?? name.startIndex)]
        }
        throw Trouble(
            .notThere, "\(word) is not a document or a place in one.",
            hint: "Examples: --keep menu, --keep menu/price")
    }
}
