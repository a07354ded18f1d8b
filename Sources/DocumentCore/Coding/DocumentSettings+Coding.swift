import JSONSchemas
import JSONTree
import VersioningKit

extension DocumentSettings {
    /// Which parts differ from the default; the bytes have them in this order.
    private struct Parts: OptionSet {
        let rawValue: UInt8

        static let grouping = Parts(rawValue: 1)
        static let ignored = Parts(rawValue: 2)
        static let tracked = Parts(rawValue: 4)
        static let identity = Parts(rawValue: 8)
        static let bounds = Parts(rawValue: 16)
        static let requiresMatch = Parts(rawValue: 32)
        static let schema = Parts(rawValue: 64)
        static let hidesPresence = Parts(rawValue: 128)
    }

    private var parts: Parts {
        var parts: Parts = []
        if grouping != .none { parts.insert(.grouping) }
        if !tracking.ignored.isEmpty { parts.insert(.ignored) }
        if tracking.tracked != .root { parts.insert(.tracked) }
        if identityNames != DocumentSettings().identityNames { parts.insert(.identity) }
        if !bounds.isUnlimited { parts.insert(.bounds) }
        if requiresMatch { parts.insert(.requiresMatch) }
        if schema != nil || enforcement != .edits { parts.insert(.schema) }
        if !showsPresence { parts.insert(.hidesPresence) }
        return parts
    }

    /// Whether it says something that formats before schemas do not know.
    var needsNewFormat: Bool { !parts.isDisjoint(with: [.schema, .hidesPresence]) }

    func write(to writer: inout ByteWriter) {
        let parts = parts
        writer.byte(parts.rawValue)
        if parts.contains(.grouping) {
            writer.number(grouping.window.milliseconds)
            writer.number(grouping.max.milliseconds)
        }
        if parts.contains(.ignored) { writer.texts(tracking.ignored.map(\.description)) }
        if parts.contains(.tracked) { writer.text(tracking.tracked.description) }
        if parts.contains(.identity) { writer.texts(identityNames) }
        if parts.contains(.bounds) {
            for bound in [bounds.count, bounds.bytes, bounds.age?.milliseconds] {
                writer.number(bound.map { $0 + 1 } ?? 0)
            }
        }
        if parts.contains(.schema) {
            writer.byte(enforcement.code)
            writer.byte(schema == nil ? 0 : 1)
            schema?.write(to: &writer)
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        self.init()
        let parts = Parts(rawValue: try reader.byte())
        requiresMatch = parts.contains(.requiresMatch)
        showsPresence = !parts.contains(.hidesPresence)
        if parts.contains(.grouping) {
            let window = Duration.milliseconds(try reader.number())
            grouping = Grouping(window: window, max: .milliseconds(try reader.number()))
        }
        if parts.contains(.ignored) {
            let texts = try reader.texts()
            tracking.ignored = texts.compactMap { PointerPattern(parsing: $0) }
            guard tracking.ignored.count == texts.count else { throw ByteReader.Malformed() }
        }
        if parts.contains(.tracked) { tracking.tracked = try JSONPointer(from: &reader) }
        if parts.contains(.identity) { identityNames = try reader.texts() }
        if parts.contains(.bounds) {
            func bound() throws(ByteReader.Malformed) -> Int? {
                let number = try reader.number()
                return number == 0 ? nil : number - 1
            }
            bounds.count = try bound()
            bounds.bytes = try bound()
            bounds.age = try bound().map { .milliseconds($0) }
        }
        if parts.contains(.schema) {
            guard let enforcement = SchemaEnforcement(code: try reader.byte()) else {
                throw ByteReader.Malformed()
            }
            self.enforcement = enforcement
            if try reader.byte() == 1 { schema = try JSONSchema.read(from: &reader) }
        }
    }
}

extension JSONSchema {
    fileprivate func write(to writer: inout ByteWriter) { writer.block(json.serialized()) }

    /// It was read before it was stored; one that cannot be read is damage.
    fileprivate static func read(
        from reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> JSONSchema {
        let bytes = try reader.block()
        guard let json = try? JSON(parsing: bytes, limits: .stored),
            let schema = try? JSONSchema.shared(json)
        else { throw ByteReader.Malformed() }
        return schema
    }
}

extension SchemaEnforcement {
    /// Its number in the journal.
    fileprivate var code: UInt8 {
        switch self {
        case .edits: 0
        case .all: 1
        case .warn: 2
        }
    }

    fileprivate init?(code: UInt8) {
        guard let found = SchemaEnforcement.allCases.first(where: { $0.code == code }) else {
            return nil
        }
        self = found
    }
}

extension FormerTracking {
    func write(to writer: inout ByteWriter) {
        DocumentSettings(tracking: tracking).write(to: &writer)
        writer.number(end)
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        tracking = try DocumentSettings(from: &reader).tracking
        end = try reader.number()
    }
}

extension Duration {
    /// Whole milliseconds, never negative.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        return max(0, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
