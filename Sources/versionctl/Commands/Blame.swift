import ArgumentParser
import JSONTree

/// `blame`.
struct Blame: DaemonCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the last change of each value.",
        discussion: "Examples: versionctl blame menu@tag:lunch /items, versionctl blame menu /note "
            + "--text")

    @OptionGroup var common: CommonOptions
    @Argument(help: "DOCUMENT or DOCUMENT@STATE.") var document: DocumentAddress
    @Argument(help: "The place; values inside it are included.") var path: String?
    @Flag(help: "For texts, show the author of each part.") var text = false

    func run(_ session: Session) throws {
        let state = given(("at", document.state))
        let place = given(("path", try path.map(place)))
        let found = try session.json(of: document, "/blame", state + place)
        if common.json { return session.screen.line(found.text) }
        let value = try session.json(document.path, state)
        let authors = Authors(found["changes"]?.elements ?? [])
        let shown = ChangeLines(session.screen)
        let rows = (found["places"]?.elements ?? []).flatMap { place -> [[String]] in
            guard let path = place["path"]?.string, let pointer = JSONPointer(parsing: path),
                let value = value[pointer], !value.isContainer || value.count == 0
            else { return [] }
            let stretches = place["text"]?.elements ?? []
            if text, !stretches.isEmpty { return authors.rows(path, value, stretches, shown) }
            let revisions = ([place] + stretches).compactMap { $0["revision"]?.int }
            return [authors.row(path, shown.short(value), revisions)]
        }
        session.screen.page(Table.lines(rows))
    }
}

/// The actors of the changes.
private struct Authors {
    private var changes: [Int: JSON] = [:]

    init(_ changes: [JSON]) {
        for change in changes {
            if let revision = change["revision"]?.int { self.changes[revision] = change }
        }
    }

    /// A line for a place: by its last change, and all who wrote in it.
    func row(_ path: String, _ text: String, _ revisions: [Int]) -> [String] {
        let last = revisions.max() ?? 0
        var names: [String] = []
        for revision in revisions {
            let name = LogRow.people(changes[revision])
            if !names.contains(name) { names.append(name) }
        }
        return [
            "\(last)", names.joined(separator: "+"),
            Times.short(changes[last]?["time"]?.string ?? ""),
            path.isEmpty ? "(all)" : path.visible, text,
            changes[last]?["label"]?.string?.visible ?? "",
        ]
    }

    /// A line for each stretch of a text; they are counted in UTF-16.
    func rows(
        _ path: String, _ value: JSON, _ stretches: [JSON], _ shown: ChangeLines
    ) -> [[String]] {
        var rest = Array((value.string ?? "").utf16)[...]
        return stretches.map { stretch in
            let part = rest.prefix(stretch["count"]?.int ?? 0)
            rest = rest.dropFirst(part.count)
            let text = JSON(String(decoding: part, as: UTF16.self))
            return row(path, shown.short(text), [stretch["revision"]?.int ?? 0])
        }
    }
}
