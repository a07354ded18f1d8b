import JSONTree
import VersioningKit

extension Change {
    /// The form of entry that this code writes. Older forms stay readable.
    private static let form: UInt8 = 1

    /// The entry's body: everything but the revision, which the journal keeps.
    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(Change.form)
        kind.write(to: &writer)
        writer.text(actor)
        writer.number(max(0, time.milliseconds))
        writer.optionalText(label)
        writer.word(treeHash.high)
        writer.word(treeHash.low)
        patch.write(to: &writer)
        return writer.bytes
    }

    init(decoding bytes: [UInt8], revision: Int) throws(ByteReader.Malformed) {
        var reader = ByteReader(bytes)
        guard try reader.byte() == Change.form else { throw ByteReader.Malformed() }
        self.revision = revision
        kind = try Kind(from: &reader)
        actor = try reader.text()
        time = Timestamp(milliseconds: try reader.number())
        label = try reader.optionalText()
        treeHash = ContentHash(high: try reader.word(), low: try reader.word())
        patch = try ReversiblePatch(from: &reader)
        guard reader.isAtEnd else { throw ByteReader.Malformed() }
    }
}

extension Change.Kind {
    private enum Code: UInt8 {
        case create = 1
        case append, move, tag, removeTag, pushScope, popScope, discardScope, settings
        case delete
        case revert, snapshot, removeSnapshot, restore
    }

    fileprivate func write(to writer: inout ByteWriter) {
        func begin(_ code: Code) { writer.byte(code.rawValue) }
        switch self {
        case .create: begin(.create)
        case .append(let joins, let tag):
            begin(.append)
            writer.byte(joins ? 1 : 0)
            writer.optionalText(tag)
        case .move(let version, let direction):
            begin(.move)
            writer.number(version)
            writer.byte(direction.rawValue)
        case .snapshot(let key, let pointers):
            begin(.snapshot)
            writer.text(key)
            writer.number(pointers.count)
            for pointer in pointers { writer.text(pointer.description) }
        case .removeSnapshot(let key):
            begin(.removeSnapshot)
            writer.text(key)
        case .restore(let key):
            begin(.restore)
            writer.text(key)
        case .revert(let revisions, let isRedo):
            begin(.revert)
            writer.byte(isRedo ? 1 : 0)
            writer.number(revisions.count)
            for revision in revisions { writer.number(revision) }
        case .tag(let name, let version):
            begin(.tag)
            writer.text(name)
            writer.number(version)
        case .removeTag(let name):
            begin(.removeTag)
            writer.text(name)
        case .pushScope: begin(.pushScope)
        case .popScope(let isChanged):
            begin(.popScope)
            writer.byte(isChanged ? 1 : 0)
        case .discardScope: begin(.discardScope)
        case .settings(let settings):
            begin(.settings)
            settings.write(to: &writer)
        case .delete: begin(.delete)
        }
    }

    fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard let code = Code(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        switch code {
        case .create: self = .create
        case .append:
            let joins = try reader.byte() == 1
            self = .append(joins: joins, tag: try reader.optionalText())
        case .move:
            let version = try reader.number()
            guard let direction = Change.Direction(rawValue: try reader.byte()) else {
                throw ByteReader.Malformed()
            }
            self = .move(to: version, direction: direction)
        case .snapshot:
            let key = try reader.text()
            var pointers: [JSONPointer] = []
            for _ in 0..<(try reader.number()) {
                pointers.append(try JSONPointer(from: &reader))
            }
            self = .snapshot(key, pointers)
        case .removeSnapshot: self = .removeSnapshot(try reader.text())
        case .restore: self = .restore(try reader.text())
        case .revert:
            let isRedo = try reader.byte() == 1
            var revisions: [Int] = []
            for _ in 0..<(try reader.number()) { revisions.append(try reader.number()) }
            self = .revert(revisions, isRedo: isRedo)
        case .tag:
            let name = try reader.text()
            self = .tag(name, version: try reader.number())
        case .removeTag: self = .removeTag(try reader.text())
        case .pushScope: self = .pushScope
        case .popScope: self = .popScope(isChanged: try reader.byte() == 1)
        case .discardScope: self = .discardScope
        case .settings: self = .settings(try DocumentSettings(from: &reader))
        case .delete: self = .delete
        }
    }
}

extension DocumentSettings {
    func write(to writer: inout ByteWriter) {
        let isGrouping = grouping != .none
        writer.byte(isGrouping ? 1 : 0)
        guard isGrouping else { return }
        writer.number(grouping.window.milliseconds)
        writer.number(grouping.max.milliseconds)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        guard try reader.byte() == 1 else {
            self.init()
            return
        }
        let window = Duration.milliseconds(try reader.number())
        self.init(grouping: Grouping(window: window, max: .milliseconds(try reader.number())))
    }
}

extension Duration {
    /// Whole milliseconds, never negative.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(0, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
