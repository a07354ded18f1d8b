import Compression
package import JSONTree
package import Journaling
import VersioningKit

extension Document {
    /// The format of the checkpoints that this code writes; see `Documentation/JournalFormat.md`.
    private static let format: UInt8 = 7
    private static let formatsRead: ClosedRange<UInt8> = 5...7
    /// Stands before one of those that is compressed.
    private static let compressedFormat: UInt8 = 8
    /// Up to this format, hashes were made with a key of the journal: they cannot be compared.
    private static let lastKeyedFormat: UInt8 = 6

    /// The document as a checkpoint: tree, history and settings at its revision, and the requests
    /// that were carried out lately.
    package func checkpoint(_ requests: RequestLog) -> Checkpoint {
        checkpoint(of: checkpointBytes(requests))
    }

    /// The checkpoint of such bytes. A long history is much of the same: it takes a hundredth.
    func checkpoint(of bytes: [UInt8]) -> Checkpoint {
        var writer = ByteWriter()
        writer.byte(Document.compressedFormat)
        writer.number(bytes.count)
        return Checkpoint(
            document: id, revision: revision, chain: chain,
            body: writer.bytes + Zstd.encode(bytes, .fast))
    }

    /// What a checkpoint says, before it is compressed.
    func checkpointBytes(_ requests: RequestLog) -> [UInt8] {
        var writer = ByteWriter()
        writer.byte(Document.format)
        writer.number(time.milliseconds)
        writer.byte(life == .purged ? 2 : life == .deleted ? 1 : 0)
        settings.write(to: &writer)
        writer.number(formerTrackings.count)
        for former in formerTrackings { former.write(to: &writer) }
        history.state.write(to: &writer)
        for number in [
            oldestRevision, trackedSince, extent.bytes, extent.trimmedCount,
            extent.trimTime.milliseconds,
        ] {
            writer.number(number)
        }
        requests.write(to: &writer, upTo: revision)
        writer.hash(tree.contentHash)
        writer.block(tree.serialized())
        // Each value once: many snapshots may hold the same.
        var values = StoredValues(tree)
        for snapshot in snapshots.values {
            for place in snapshot.places { values.note(place.value) }
        }
        values.write(to: &writer)
        writer.number(snapshots.count)
        for (key, snapshot) in snapshots.sorted(by: { $0.key < $1.key }) {
            writer.name(key)
            snapshot.write(to: &writer, values)
        }
        return writer.bytes
    }

    /// The bytes of a checkpoint, which older versions did not compress.
    private static func decompressed(_ body: [UInt8]) throws(ByteReader.Malformed) -> [UInt8] {
        guard body.first == compressedFormat else { return body }
        var reader = ByteReader(body)
        _ = try reader.byte()
        let count = try reader.number()
        do { return try Zstd.decode(reader.rest, count: count) } catch {
            throw ByteReader.Malformed()
        }
    }

    /// Reads a checkpoint. Malformed ones, and trees that are not what they were, are an error.
    package init(_ checkpoint: Checkpoint, _ noted: inout RequestLog) throws(ByteReader.Malformed) {
        var reader = ByteReader(try Document.decompressed(checkpoint.body))
        let format = try reader.byte()
        guard Document.formatsRead.contains(format) else { throw ByteReader.Malformed() }
        id = checkpoint.document
        revision = checkpoint.revision
        chain = checkpoint.chain
        time = Timestamp(milliseconds: try reader.number())
        switch try reader.byte() {
        case 0: life = .alive
        case 1: life = .deleted
        case 2: life = .purged
        default: throw ByteReader.Malformed()
        }
        settings = try DocumentSettings(from: &reader)
        for _ in 0..<(try reader.number()) {
            formerTrackings.append(try FormerTracking(from: &reader))
        }
        let state = try VersionHistory<Int>.State(from: &reader, hasLifetimes: format > 5)
        guard let history = VersionHistory(state: state) else { throw ByteReader.Malformed() }
        self.history = history
        oldestRevision = try reader.number()
        trackedSince = try reader.number()
        extent.bytes = try reader.number()
        extent.trimmedCount = try reader.number()
        extent.trimTime = Timestamp(milliseconds: try reader.number())
        let isKeyed = format <= Document.lastKeyedFormat
        let requests = try RequestLog(from: &reader, isKeyed: isKeyed)
        let hash = try reader.hash()
        guard let tree = try? JSON(parsing: try reader.block(), limits: .stored),
            isKeyed || tree.contentHash == hash
        else { throw ByteReader.Malformed() }
        self.tree = tree
        let values = try StoredValues(tree, &reader)
        for _ in 0..<(try reader.number()) {
            let key = try reader.name()
            snapshots[key] = try Snapshot(from: &reader, values)
        }
        noted = requests
    }
}

extension VersionHistory<Int>.State {
    /// Differences to the neighbours, so that a plain history takes a few bytes a version.
    func write(to writer: inout ByteWriter) {
        writer.number(versions.count)
        var lastID = 0
        for (place, version) in versions.enumerated() {
            writer.number(version.id - lastID)
            lastID = version.id
            if place > 0 { writer.number(place - Int(version.parent)) }
            writer.number(version.redo < 0 ? 0 : Int(version.redo) - place)
            let steps = version.steps.list
            writer.number(steps.count)
            var last = version.id
            for step in steps {
                // A step of a popped scope is older than the version that it became a part of.
                writer.number(step >= last ? (step - last) << 1 : (last - step) << 1 | 1)
                last = step
            }
        }
        writer.number(Int(current))
        writer.number(scopes.count)
        for scope in scopes {
            writer.number(Int(scope.base))
            writer.number(Int(scope.start))
            writer.number(Int(scope.outerRedo + 1))
            writer.name(scope.owner)
            writer.byte(scope.expiry == nil ? 0 : 1)
            scope.expiry?.write(to: &writer)
            if let expiry = scope.expiry {
                writer.number(expiry.lifetime.map { $0.milliseconds + 1 } ?? 0)
            }
        }
        writer.number(tags.count)
        for (name, place) in tags.sorted(by: { $0.key < $1.key }) {
            writer.name(name)
            writer.number(Int(place))
        }
    }

    init(
        from reader: inout ByteReader, hasLifetimes: Bool
    ) throws(ByteReader.Malformed) {
        self.init(versions: PersistentArray(), current: 0, scopes: [], tags: [:])
        let count = try reader.number()
        var lastID = 0
        for place in 0..<count {
            let id = lastID &+ (try reader.number())
            lastID = id
            let parent = place == 0 ? -1 : place &- (try reader.number())
            let redo = try reader.number()
            let steps = try State.steps(&reader, id)
            versions.append(
                .init(
                    id: id, parent: Int32(clamping: parent),
                    redo: redo == 0 ? -1 : Int32(clamping: place &+ redo), steps: steps))
        }
        current = Int32(clamping: try reader.number())
        for _ in 0..<(try reader.number()) {
            let base = Int32(clamping: try reader.number())
            let start = Int32(clamping: try reader.number())
            let outerRedo = Int32(clamping: try reader.number() - 1)
            let owner = try reader.name()
            var expiry = try reader.byte() == 1 ? try ScopeExpiry(from: &reader) : nil
            if hasLifetimes, let timed = expiry {
                let lifetime = try reader.number()
                expiry = ScopeExpiry(
                    deadline: timed.deadline, policy: timed.policy,
                    lifetime: lifetime == 0 ? nil : .milliseconds(lifetime - 1))
            }
            scopes.append(
                .init(
                    base: base, start: start, outerRedo: outerRedo, owner: owner, expiry: expiry))
        }
        for _ in 0..<(try reader.number()) {
            let name = try reader.name()
            tags[name] = Int32(clamping: try reader.number())
        }
    }

    private typealias State = VersionHistory<Int>.State

    private static func steps(
        _ reader: inout ByteReader, _ id: Int
    ) throws(ByteReader.Malformed) -> Steps<Int> {
        var list: [Int] = []
        var last = id
        for _ in 0..<(try reader.number()) {
            let code = try reader.number()
            last = code & 1 == 0 ? last &+ (code >> 1) : last &- (code >> 1)
            list.append(last)
        }
        return Steps(list)
    }
}
