import Compression
package import JSONTree
package import Journaling
import VersioningKit

extension Document {
    /// The format of the checkpoints that this code writes; see
    /// `Documentation/Reference/JournalFormat.md`.
    private static let format: UInt8 = 12
    private static let formatsRead: Set<UInt8> = [5, 6, 7, 9, 10, 11, 12]
    /// From this format on, it is known who worked in a document up to when.
    private static let workFormat: UInt8 = 12
    /// From this format on, drafts know their origin.
    private static let draftsFormat: UInt8 = 10
    /// From this format on, a checkpoint stores versions in pages.
    private static let pagedFormat: UInt8 = 9
    /// Up to this format, hashes were made with a key of the journal: they cannot be compared.
    private static let lastKeyedFormat: UInt8 = 6

    /// The document as a checkpoint: tree, history and settings at its revision, and the requests
    /// that were carried out lately. Compressed: a long history is much of the same.
    package func checkpoint(_ requests: RequestLog) -> Checkpoint {
        Checkpoint(
            document: id, revision: revision, chain: chain,
            body: CheckpointBody.compressed(checkpointContent(requests)))
    }

    /// The content of a checkpoint, before compression.
    private func checkpointContent(_ requests: RequestLog) -> [UInt8] {
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
        for entry in draft?.records ?? [] { values.note(entry.common) }
        values.write(to: &writer)
        writer.number(birth)
        writer.byte(draft == nil ? 0 : 1)
        draft?.write(to: &writer, values)
        writer.number(snapshots.count)
        for (key, snapshot) in snapshots.sorted(by: { $0.key < $1.key }) {
            writer.name(key)
            snapshot.write(to: &writer, values)
        }
        activity.write(to: &writer)
        return writer.bytes
    }

    private static func content(of body: [UInt8]) throws(ByteReader.Malformed) -> [UInt8] {
        do { return try CheckpointBody.content(of: body) } catch { throw ByteReader.Malformed() }
    }

    /// The document at the foundation, the state that replaces forgotten changes.
    package init(foundation bytes: [UInt8], _ entry: JournalEntry) throws(ByteReader.Malformed) {
        var requests = RequestLog()
        try self.init(
            Checkpoint(
                document: entry.document, revision: entry.revision, chain: entry.chain,
                body: bytes), &requests)
    }

    /// Reads a checkpoint. Malformed ones, and trees that are not what they were, are an error.
    package init(_ checkpoint: Checkpoint, _ noted: inout RequestLog) throws(ByteReader.Malformed) {
        var reader = ByteReader(try Document.content(of: checkpoint.body))
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
        seldomChanged = SeldomChanged(try DocumentSettings(from: &reader), ActorActivity())
        for _ in 0..<(try reader.number()) {
            formerTrackings.append(try FormerTracking(from: &reader))
        }
        let state = try VersionHistory<Int>.State(
            from: &reader, isPaged: format >= Document.pagedFormat, hasLifetimes: format > 5)
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
        if format >= Document.draftsFormat {
            birth = try reader.number()
            if try reader.byte() == 1 { draft = try DraftState(from: &reader, values) }
        }
        for _ in 0..<(try reader.number()) {
            let key = try reader.name()
            snapshots[key] = try Snapshot(from: &reader, values)
        }
        activity =
            format >= Document.workFormat
            ? try ActorActivity(from: &reader) : ActorActivity(unknownUpTo: revision)
        noted = requests
    }
}

extension VersionHistory<Int>.State {
    /// Versions in pages, so that a plain history takes a byte or two a version.
    func write(to writer: inout ByteWriter) {
        let pages = max(0, versions.count - 1) / PackedVersions.pageCount
        writer.number(versions.count)
        writer.block(versions.packedBytes(pages: pages))
        let first = pages * PackedVersions.pageCount
        PackedPage.write(
            versions[first...], first: first, after: versions.last(before: first), to: &writer)
        writer.number(Int(current))
        writer.number(scopes.count)
        for scope in scopes {
            writer.number(Int(scope.opening))
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
        from reader: inout ByteReader, isPaged: Bool, hasLifetimes: Bool
    ) throws(ByteReader.Malformed) {
        self.init(versions: PersistentArray(), current: 0, scopes: [], tags: [:])
        versions = try isPaged ? State.paged(&reader) : State.listed(&reader)
        current = Int32(clamping: try reader.number())
        for _ in 0..<(try reader.number()) {
            let opening = Int32(clamping: try reader.number())
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
                    opening: opening, start: start, outerRedo: outerRedo, owner: owner,
                    expiry: expiry))
        }
        for _ in 0..<(try reader.number()) {
            let name = try reader.name()
            tags[name] = Int32(clamping: try reader.number())
        }
    }

    private typealias State = VersionHistory<Int>.State

    private static func paged(
        _ reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> PersistentArray<VersionHistory<Int>.Version> {
        let count = try reader.number()
        let pages = max(0, count - 1) / PackedVersions.pageCount
        let packed = try PackedVersions(try reader.block(), pages: pages, total: count)
        var versions = PersistentArray(packed: packed)
        for version in try PackedPage.read(
            &reader, first: packed.count, count: count - packed.count, after: packed.end)
        {
            versions.append(version)
        }
        return versions
    }

    /// As formats up to 7 have them: each as the difference to the one before.
    private static func listed(
        _ reader: inout ByteReader
    ) throws(ByteReader.Malformed) -> PersistentArray<VersionHistory<Int>.Version> {
        var versions = PersistentArray<VersionHistory<Int>.Version>()
        var id = 0
        for place in 0..<(try reader.number()) {
            id = id &+ (try reader.number())
            let parent = place == 0 ? -1 : place &- (try reader.number())
            guard parent < place, parent >= (place == 0 ? -1 : 0) else {
                throw ByteReader.Malformed()
            }
            let redo = try reader.number()
            versions.append(
                .init(
                    id: id, parent: Int32(clamping: parent),
                    redo: redo == 0 ? -1 : Int32(clamping: place &+ redo),
                    depth: parent < 0 ? 0 : versions[parent].depth + 1,
                    steps: try reader.steps(of: id)))
        }
        return versions
    }
}

extension Document {
    /// Packs the versions, all but the newest, if there are enough of them.
    package mutating func packVersions() {
        let versions = history.state.versions
        let pages = max(0, versions.count - 1) / PackedVersions.pageCount
        guard pages * PackedVersions.pageCount >= versions.packedCount + Document.versionsToPack,
            let packed = try? PackedVersions(
                versions.packedBytes(pages: pages), pages: pages, total: versions.count)
        else { return }
        var short = PersistentArray(packed: packed)
        for version in versions[packed.count...] { short.append(version) }
        history.adopt(short)
    }

    private static let versionsToPack = 512

    /// Takes over the versions that another document has packed: it was made from `original`, which
    /// this is, or was made from.
    mutating func adoptVersions(of other: Document, madeFrom original: Document) {
        guard let packed = other.history.state.versions.packedElements?.store,
            let versions = history.state.versions.adopting(
                packed, madeFrom: original.history.state.versions)
        else { return }
        history.adopt(versions)
    }
}

extension PersistentArray<VersionHistory<Int>.Version> {
    /// The version before a place.
    fileprivate func last(before place: Int) -> PackedPage.Last {
        place == 0 ? .none : PackedPage.Last(self[place - 1])
    }

    /// The first pages in bytes. Those that are packed already and did not change are copied.
    fileprivate func packedBytes(pages: Int) -> [UInt8] {
        var writer = ByteWriter()
        let (store, changed) =
            packedElements.map { ($0.store as? PackedVersions, $0.changed) }
            ?? (nil, [])
        let pageCount = PackedVersions.pageCount
        let dirty = Set(changed.map { $0 / pageCount })
        for page in 0..<pages {
            if let store, page < packedCount / pageCount, !dirty.contains(page) {
                writer.append(store.bytes(ofPage: page))
            } else {
                let first = page * pageCount
                PackedPage.write(
                    self[first..<(first + pageCount)], first: first, after: last(before: first),
                    to: &writer)
            }
        }
        return writer.bytes
    }
}
