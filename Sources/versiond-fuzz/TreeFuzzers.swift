import FuzzTargets
import HTTPServing
import JSONTree
import TestSupport

/// A text near JSON: a serialized tree with bytes changed, dropped, doubled.
private func damagedText(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = JSON.random(&random, shape: .random(&random)).serialized()
    let marks = Array("{}[]\",:\\0123456789.eE+-truefalsn \u{1}é".utf8)
    for _ in 0..<random.below(6) where !bytes.isEmpty {
        let place = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(marks[random.below(marks.count)], at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + random.below(30)))
        }
    }
    return bytes
}

/// An accepted text must be returned; a refusal must have an offset inside the text.
@Sendable func fuzzParser(_ seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    let bytes = damagedText(&random)
    return FuzzTarget.text.run(bytes).map { "\($0): \(bytes)" }
}

@Sendable func fuzzPointer(_ seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    let letters = Array("/~01ab-é")
    let text = String((0..<random.below(12)).map { _ in letters[random.below(letters.count)] })
    guard let pointer = JSONPointer(parsing: text) else {
        let mustFail = !text.isEmpty && (text.first != "/" || text.contains("~"))
        return mustFail ? nil : "refused \(text)"
    }
    return pointer.description == text ? nil : "\(text) became \(pointer)"
}

/// An address that is probably there, or near.
private func pointer(into tree: JSON, _ random: inout SeededGenerator) -> String {
    var (text, value) = ("", tree)
    while value.isContainer && !random.once(in: 4) {
        if let members = value.members, !members.isEmpty {
            let member = members[random.below(members.count)]
            let name = member.name.replacing("~", with: "~0").replacing("/", with: "~1")
            (text, value) = (text + "/" + name, member.value)
        } else if value.count > 0, let element = value[random.below(value.count)] {
            let place = random.below(value.count + 1)
            text += random.once(in: 8) ? "/-" : "/\(place)"
            value = value[place] ?? element
        } else {
            break
        }
    }
    if random.once(in: 5) { text += "/" + (random.once(in: 2) ? "new" : "0") }
    return text
}

/// A patch applies whole, with an inverse that takes it back, or not at all.
@Sendable func fuzzPatch(_ seed: UInt64) throws -> String? {
    var random = SeededGenerator(seed: seed)
    let tree = JSON.random(&random, shape: .random(&random))
    let before = tree.serialized()
    let operations = (0...random.below(6)).map { _ -> JSON in
        let path = JSON(pointer(into: tree, &random))
        let from = JSON(pointer(into: tree, &random))
        let value = JSON.random(&random, shape: TreeShape(depth: 1, width: 3))
        switch random.below(9) {
        case 0, 1: return ["op": "add", "path": path, "value": value]
        case 2: return ["op": "remove", "path": path]
        case 3: return ["op": "replace", "path": path, "value": value]
        case 4: return ["op": "move", "from": from, "path": path]
        case 5: return ["op": "copy", "from": from, "path": path]
        case 6: return ["op": "str_ins", "path": path, "pos": JSON(random.below(4)), "str": "é😀"]
        case 7:
            let found = ["a", "e", "é", "ab", "aa"][random.below(5)]
            return ["op": "str_replace", "path": path, "find": JSON(found), "str": "é😀"]
        default: return ["op": "str_del", "path": path, "pos": JSON(random.below(4)), "len": 1]
        }
    }
    let patch = try JSONPatch(JSON(elements: operations))
    if let (after, change) = try? tree.applying(patch) {
        guard try tree.applying(change) == after else { return "forward: \(before), \(operations)" }
        guard try after.applying(change.inverse) == tree else {
            return "inverse: \(tree), \(operations)"
        }
        guard after.serialized().count == after.byteCount else {
            return "size: \(tree), \(operations)"
        }
        let strict = try change.operations(on: tree)
        guard try tree.applying(strict).tree == after else {
            return "strict: \(tree), \(operations)"
        }
        guard try tree.applying(change.compacted) == after else {
            return "compacted: \(tree), \(operations)"
        }
    }
    return tree.serialized() == before ? nil : "an old tree changed: \(operations)"
}

@Sendable func fuzzDiff(_ seed: UInt64) throws -> String? {
    var random = SeededGenerator(seed: seed)
    let old = JSON.random(&random, shape: .random(&random))
    let new = old.mutated(&random, edits: 1 + random.below(8))
    // As it is sent, and as it is stored.
    let stored = DiffOptions(identityNames: ["a", "id"], isShort: false, movesBetweenArrays: true)
    for options in [DiffOptions(), stored] {
        let patch = old.diff(to: new, options: options)
        guard try old.applying(patch) == new else { return "forward: \(old) → \(new)" }
        guard try new.applying(patch.inverse) == old else { return "inverse: \(old) → \(new)" }
    }
    return nil
}

/// Edits in a long string against an array of UTF-16 code units.
@Sendable func fuzzText(_ seed: UInt64) throws -> String? {
    var random = SeededGenerator(seed: seed)
    var model = Array(String(repeating: "lorem é😀 ipsum ", count: random.below(600)).utf16)
    var tree = JSON(String(decoding: model, as: UTF16.self))
    var patches: [ReversiblePatch] = []
    let start = tree
    for _ in 0..<80 {
        let position = random.below(model.count + 1)
        let count = min(random.below(random.once(in: 10) ? 3_000 : 6), model.count - position)
        let inserted = String(repeating: "n😀", count: random.below(random.once(in: 10) ? 900 : 3))
        let patch = JSONPatch([
            .deleteText(.root, at: position, count: count),
            .insertText(.root, at: position, inserted),
        ])
        guard let (after, change) = try? tree.applying(patch) else { continue }
        tree = after
        patches.append(change)
        model.replaceSubrange(position..<(position + count), with: inserted.utf16)
        guard Array(tree.string?.utf16 ?? "".utf16) == model else { return "text differs" }
        guard tree == JSON(String(decoding: model, as: UTF16.self)) else { return "hash differs" }
    }
    var whole = ReversiblePatch.empty
    for patch in patches { whole.append(patch) }
    guard try start.applying(whole.compacted) == tree else { return "compacted differs" }
    guard try tree.applying(whole.inverse) == start else { return "undone differs" }
    return try tree.applying(whole.compacted.inverse) == start ? nil : "compacted undone differs"
}

/// The binary form comes back, and damaged bytes are an error, never a crash.
@Sendable func fuzzCoding(_ seed: UInt64) throws -> String? {
    var random = SeededGenerator(seed: seed)
    let old = JSON.random(&random, shape: .random(&random))
    let patch = old.diff(to: old.mutated(&random, edits: 3))
    var writer = ByteWriter()
    patch.write(to: &writer)
    var reader = ByteReader(writer.bytes)
    guard try ReversiblePatch(from: &reader) == patch, reader.isAtEnd else {
        return "does not come back"
    }
    var damaged = writer.bytes
    for _ in 0..<4 where !damaged.isEmpty {
        damaged[random.below(damaged.count)] = UInt8(random.below(256))
        if random.once(in: 3) { damaged.removeLast(random.below(damaged.count)) }
        var reader = ByteReader(damaged)
        _ = try? ReversiblePatch(from: &reader)
    }
    return nil
}

/// A request target is refused or means one thing.
@Sendable func fuzzTarget(_ seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    let letters = Array("/%?=&.+aé2fF0 \u{0}".utf8)
    let bytes = (0..<random.below(24)).map { _ in letters[random.below(letters.count)] }
    guard let target = try? HTTPTarget(parsing: bytes) else { return nil }
    let isClean = target.segments.allSatisfy { $0 != "." && $0 != ".." && !$0.utf8.contains(0) }
    return isClean && bytes.first == UInt8(ascii: "/") ? nil : "accepted \(bytes)"
}
