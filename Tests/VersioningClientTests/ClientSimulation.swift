import JSONTree
import Naming
import TestSupport

@testable import VersioningClient

/// Several people who edit one document, each with a client of its own, as a seed says.
///
/// Each word that a person types is written once, so that it can be found again.
final class ClientSimulation {
    let daemon: SimulatedDaemon
    let clients: [SimulatedClient]
    private var random: SeededGenerator
    private var fates: [String: Fate] = [:]
    private var titles: Set<String> = [""]
    private(set) var faults: [String] = []
    private var count = 0

    /// The fate of a word, as its author knows it.
    private enum Fate {
        case typed, undone
        /// The undo of a word that was under way may come too late.
        case perhaps
    }

    init(seed: UInt64) async throws {
        random = SeededGenerator(seed: seed)
        let daemon = try await SimulatedDaemon(["text": "", "items": [], "title": ""])
        self.daemon = daemon
        var policies = random
        clients = (0..<3).map { number in
            let policy: ConflictPolicy = policies.once(in: 2) ? .mine : .theirs
            return SimulatedClient(Name("c\(number)"), daemon, policy: policy)
        }
        for client in clients { client.open() }
    }

    /// Lets people edit, then lets everything come to its end, and returns what broke the law.
    func run(steps: Int) async -> [String] {
        for _ in 0..<steps {
            let client = clients[random.below(clients.count)]
            if random.once(in: 3) { act(client) } else { await client.advance(&random) }
        }
        for client in clients { client.trouble = 0 }
        for _ in 0..<1_000 where !clients.allSatisfy(\.isIdle) {
            for client in clients { await client.advance(&random) }
        }
        check()
        return faults + clients.flatMap(\.faults)
    }

    private func check() {
        let stored = ClientSimulation.words(in: daemon.tree.serialized())
        let returned = ClientSimulation.words(in: clients.flatMap { Array($0.returned.utf8) })
        for (word, fate) in fates {
            let (count, isReturned) = (stored[word] ?? 0, returned[word] != nil)
            if count > 1 { faults.append("\(word) is there \(count) times") }
            switch fate {
            case .typed where count == 0 && !isReturned: faults.append("\(word) is gone")
            case .typed where count > 0 && isReturned:
                faults.append("\(word) was handed back, and is there")
            case .undone where count > 0: faults.append("\(word) was undone")
            default: break
            }
        }
        if let title = daemon.tree["title"]?.string, !titles.contains(title) {
            faults.append("the title \(title) was never set")
        }
        for client in clients {
            if !client.replica.pending.isEmpty { faults.append("\(client.name) still waits") }
            if client.replica.value != daemon.tree {
                faults.append("\(client.name) shows something else")
            }
        }
    }

    /// How often each word is in a text.
    private static func words(in text: [UInt8]) -> [String: Int] {
        text.split(separator: UInt8(ascii: "<")).reduce(into: [:]) { found, part in
            guard let end = part.firstIndex(of: UInt8(ascii: ">")) else { return }
            found["<\(String(decoding: part[..<end], as: UTF8.self))>", default: 0] += 1
        }
    }

    // MARK: People

    private func act(_ client: SimulatedClient) {
        switch random.below(12) {
        case 0...3: type(client)
        case 4, 5: push(client, 1)
        case 6: setTitle(client)
        case 7: tick(client)
        case 8: push(client, 30 + random.below(60))
        case 9: typeAndUndo(client)
        case 10: move(client)
        default: editBadly(client)
        }
    }

    private func word(_ client: SimulatedClient) -> String {
        count += 1
        let word = "<\(client.name)w\(count)>"
        fates[word] = .typed
        return word
    }

    /// The positions between words.
    private func position(in text: String) -> Int {
        let ends = text.utf16.enumerated().filter { $0.element == 62 }.map { $0.offset + 1 }
        let places = [0] + ends
        return places[random.below(places.count)]
    }

    private func edit(
        _ client: SimulatedClient, _ operations: [JSONOperation],
        _ options: StepOptions = StepOptions()
    ) {
        client.attempt("edit") {
            _ = try client.replica.edit(JSONPatch(operations), key: client.newKey(), options)
        }
    }

    /// Compares a new value, as a program does that has changed its model.
    private func compare(_ client: SimulatedClient, _ members: [(String, JSON)]) {
        let old = client.replica.value
        let named = Dictionary(uniqueKeysWithValues: members)
        let whole = (old.members ?? []).map { ($0.name, named[$0.name] ?? $0.value) }
        client.attempt("edit") {
            let options = DiffOptions(isShort: false)
            let patch = old.diff(to: JSON(members: whole), options: options)
            _ = try client.replica.edit(patch, key: client.newKey())
        }
    }

    /// Types a word, letter by letter.
    private func type(_ client: SimulatedClient) {
        let text = client.replica.value["text"]?.string ?? ""
        let word = word(client)
        let at = position(in: text)
        let pointer = JSONPointer(names: ["text"])
        for (offset, letter) in word.utf16.enumerated() {
            let letter = String(decoding: [letter], as: UTF16.self)
            edit(client, [.insertText(pointer, at: at + offset, letter)])
        }
    }

    private func push(_ client: SimulatedClient, _ count: Int) {
        var items = client.replica.value["items"]?.elements ?? []
        for _ in 0..<count {
            let item: JSON = ["id": JSON(word(client)), "done": false]
            items.insert(item, at: random.below(items.count + 1))
        }
        compare(client, [("items", JSON(elements: items))])
    }

    private func move(_ client: SimulatedClient) {
        var items = client.replica.value["items"]?.elements ?? []
        guard items.count > 1 else { return }
        let item = items.remove(at: random.below(items.count))
        items.insert(item, at: random.below(items.count + 1))
        compare(client, [("items", JSON(elements: items))])
    }

    private func setTitle(_ client: SimulatedClient) {
        count += 1
        titles.insert("title\(count)")
        edit(client, [.replace(JSONPointer(names: ["title"]), JSON("title\(count)"))])
    }

    private func tick(_ client: SimulatedClient) {
        guard let items = client.replica.value["items"]?.elements, !items.isEmpty else { return }
        let pointer = JSONPointer(names: ["items", String(random.below(items.count)), "done"])
        edit(client, [.replace(pointer, true)])
    }

    /// Types a word and takes it back at once.
    private func typeAndUndo(_ client: SimulatedClient) {
        let isAlone = client.replica.pending.isEmpty
        let word = word(client)
        let options = StepOptions(group: "g\(count)")
        client.attempt("edit") {
            let pointer = JSONPointer(names: ["text"])
            _ = try client.replica.edit(
                JSONPatch([.insertText(pointer, at: 0, word)]), key: client.newKey(), options)
        }
        if isAlone, random.once(in: 2) {
            client.attempt("take") { _ = try client.replica.take() }
            fates[word] = .perhaps
        } else {
            fates[word] = .undone
        }
        let shown = client.attempt("undo") { try client.replica.undoHere() }
        if case .some(nil) = shown { faults.append("\(word) cannot be taken back") }
        if random.once(in: 3) {
            client.attempt("redo") { _ = try client.replica.redoHere(key: client.newKey()) }
            fates[word] = .typed
        }
    }

    /// A refused edit is handed back, and affects no other one.
    private func editBadly(_ client: SimulatedClient) {
        count += 1
        let pointer = JSONPointer(names: ["\(SimulatedDaemon.poison)\(count)"])
        edit(
            client, [.add(pointer, JSON(word(client)))], StepOptions(group: "b\(count)"))
        push(client, 1)
    }
}
