import ArgumentParser
import HTTPCalling
import Hashing
import JSONTree

/// `edit`.
struct Edit: ChangeCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit a document, or a place in it, in your editor.",
        discussion: """
            The daemon merges concurrent changes. If the edit cannot be stored, versionctl keeps \
            your text in a file; --resume continues the edit. Examples: versionctl edit menu, \
            versionctl edit menu /note --text
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var change: ChangeOptions
    @Argument(help: "The document.") var document: DocumentAddress
    @Argument(help: "The place; by default the whole document.") var path = ""
    @Flag(help: "Edit a string as plain text.") var text = false
    @Flag(help: "Continue with the text of an earlier edit.") var resume = false
    @Flag(help: "In a conflict, keep your text.") var mine = false
    @Flag(help: "In a conflict, keep the text of others.") var theirs = false

    func run(_ session: Session) throws {
        var draft = try EditDraft(document.name, try place(path), isText: text, session.server)
        try draft.takeForThis()
        if !resume {
            try draft.refuseToOverwrite()
            try draft.begin(session, document)
        } else {
            try draft.resume()
        }
        // With a decision about a conflict there is nothing to edit.
        if !(resume && (mine || theirs)) { try edit(&draft) }
        try send(draft, session)
        if change.dryRun {
            session.screen.note("hint: \(draft.hint("--resume"))")
        } else {
            draft.remove()
        }
    }

    /// How often the editor is opened for one edit.
    private static let openingsMax = 10

    /// Opens the editor, again and again until it is JSON; throws if nothing was changed.
    private func edit(_ draft: inout EditDraft) throws {
        let first = try draft.content()
        var last: [UInt8]?
        for _ in 0..<Edit.openingsMax {
            try open(draft, from: first)
            let now = try draft.content()
            guard let fault = draft.fault(of: now) else {
                if now == first, !resume { throw unchanged(draft) }
                return
            }
            let plain = EditDraft.uncommented(now)
            // An unchanged text ends the loop: the editor may be a script. A text has no place
            // for the reason.
            if text || plain == last { break }
            last = plain
            try draft.write(EditDraft.commented(plain, fault))
        }
        throw Trouble(
            .badInput, "The text is not valid \(text ? "UTF-8" : "JSON").",
            hint: draft.hint("--resume"))
    }

    private func unchanged(_ draft: EditDraft) -> Trouble {
        draft.remove()
        return Trouble(.nothing, "Nothing was changed.")
    }

    private func open(_ draft: EditDraft, from first: [UInt8]) throws {
        let editor = variable("VISUAL") ?? variable("EDITOR") ?? "vi"
        let status = Programs.shell("\(editor) \(Programs.quoted(draft.file))")
        // An empty text ends the edit.
        guard Files.exists(draft.file) else { throw unchanged(draft) }
        if status == 0 { return }
        guard try resume || draft.content() != first else {
            draft.remove()
            throw Trouble(
                .system, "The editor \(editor) exited with status \(status) and changed nothing.",
                hint: "Set EDITOR or VISUAL to another editor.")
        }
        throw Trouble(
            .system, "The editor \(editor) exited with status \(status).",
            hint: draft.hint("--resume"))
    }

    private func send(_ draft: EditDraft, _ session: Session) throws {
        let whole = try draft.whole()
        let policy = mine ? "mine" : theirs ? "theirs" : "reject"
        do throws(Trouble) {
            let answer = try session.change(
                "PUT", document.path,
                change.query + [("base", "\(draft.revision)"), ("conflict", policy)],
                body: whole.serialized(), fields: change.fields)
            try session.tellChange(answer, of: document, change, Session.place(of: answer))
        } catch {
            let trouble = error
            let options = trouble.status == .conflict ? "--resume [--mine | --theirs]" : "--resume"
            throw Trouble(trouble.status, trouble.sentence, hint: draft.hint(options))
        }
    }
}

/// An edit in progress: a file that survives errors, and the state on which it is based.
struct EditDraft {
    private let name: String
    private let path: String
    private let isText: Bool
    private var base = JSON.null
    private(set) var revision = 0

    let file: String
    /// The state on which the text is based: `{"revision":7,"value":…}`.
    private var record: String { file + ".base" }
    private var lock: String { file + ".lock" }

    /// A name that people know again, and no other document, place or daemon has.
    init(
        _ name: String, _ path: String, isText: Bool, _ server: ServerAddress
    ) throws(Trouble) {
        (self.name, self.path, self.isText) = (name, path, isText)
        Files.makeDirectory(Files.state)
        let whole = [server.description, name, path].map { SHA256.hash(Array($0.utf8)) }
        let mark = Array(SHA256.hash(whole.flatMap(\.self)).prefix(4)).hexadecimal
        let shown = (name + path).escaped.prefix(60)
        file = "\(Files.state)/\(shown)-\(mark).\(isText ? "txt" : "json")"
    }

    /// Two editors with one text would each undo what the other one wrote.
    func takeForThis() throws(Trouble) {
        guard try Files.lock(lock) == nil else { return }
        throw Trouble(
            .conflict, "Another versionctl edits \(name).",
            hint: "Its text: \(file)")
    }

    /// Text that is not stored yet is not overwritten.
    func refuseToOverwrite() throws(Trouble) {
        guard Files.exists(record), Files.exists(file) else { return }
        throw Trouble(
            .conflict, "The text of an earlier edit of \(name) is not stored: \(file)",
            hint:
                "Continue with \(command) --resume, "
                + "or remove the file to discard it.")
    }

    mutating func begin(_ session: Session, _ document: DocumentAddress) throws(Trouble) {
        let answer = try session.found(name, try session.get(document.path))
        base = try session.parsed(answer)
        revision = Int((answer.fields["etag"] ?? "").filter { $0 != "\"" }) ?? 0
        guard let pointer = JSONPointer(parsing: path), let value = base[pointer] else {
            throw Trouble(.notThere, "\(name) has no value at \(path).")
        }
        if isText {
            guard let text = value.utf8 else {
                throw Trouble(.badInput, "The value at \(path) is not a string.")
            }
            try write(text)
        } else {
            try write(value.prettyPrinted() + [0x0a])
        }
        let kept = JSON(members: [("revision", JSON(revision)), ("value", base)])
        try Files.write(kept.serialized(), to: record)
    }

    mutating func resume() throws(Trouble) {
        guard Files.exists(file), let bytes = try? Files.read(record),
            let kept = try? JSON(reading: bytes),
            let number = kept["revision"]?.int, let value = kept["value"]
        else { throw Trouble(.notThere, "\(name) has no unfinished edit.") }
        (base, revision) = (value, number)
    }

    /// Of a text that ends without the end of a line none is taken that the editor put there.
    func content() throws(Trouble) -> [UInt8] {
        let bytes = try Files.read(file)
        guard isText, bytes.last == 0x0a, let pointer = JSONPointer(parsing: path),
            base[pointer]?.utf8?.last != 0x0a
        else { return bytes }
        return bytes.dropLast()
    }

    func write(_ bytes: [UInt8]) throws(Trouble) { try Files.write(bytes, to: file) }

    /// Why a text is no JSON.
    func fault(of text: [UInt8]) -> String? {
        if isText {
            return String(validating: text, as: UTF8.self) == nil ? "It is not valid UTF-8." : nil
        }
        do { _ = try JSON(reading: EditDraft.uncommented(text)) } catch { return "\(error)" }
        return nil
    }

    /// With why it is no JSON in the first line.
    static func commented(_ text: [UInt8], _ fault: String) -> [UInt8] {
        Array("// \(fault)\n".utf8) + text
    }

    static func uncommented(_ text: [UInt8]) -> [UInt8] {
        var rest = text[...]
        while rest.starts(with: Array("//".utf8)) {
            rest = rest.drop { $0 != 0x0a }.dropFirst()
        }
        return Array(rest)
    }

    /// The whole document with the text in its place.
    func whole() throws(Trouble) -> JSON {
        let text = try content()
        let value = isText ? JSON(String(decoding: text, as: UTF8.self)) : try parsed(text)
        if path.isEmpty { return value }
        let edit = JSON(members: [
            ("op", JSON("replace")), ("path", JSON(path)), ("value", value),
        ])
        do { return try base.applying(try JSONPatch(JSON(elements: [edit]))).tree } catch {
            throw Trouble(.badInput, "\(error)")
        }
    }

    private func parsed(_ text: [UInt8]) throws(Trouble) -> JSON {
        do { return try JSON(reading: EditDraft.uncommented(text)) } catch {
            throw Trouble(.badInput, "The text is not valid JSON: \(error).")
        }
    }

    func hint(_ options: String) -> String {
        "\(command)\(isText ? " --text" : "") \(options). Your text: \(file)"
    }

    private var command: String {
        "versionctl edit \(name)\(path.isEmpty ? "" : " " + path)"
    }

    func remove() {
        Files.remove(file)
        Files.remove(record)
        Files.remove(lock)
    }
}
