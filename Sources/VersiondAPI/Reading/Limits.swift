import Documents
public import JSONTree

/// Every limit of the daemon's face, with its reason.
public struct Limits: Sendable {
    /// A request's body, in bytes. One slow client must not fill the memory.
    public var bodyBytesMax: Int
    /// Changes or documents on one page.
    public var pageMax: Int
    /// Documents and patches.
    public var json: JSONLimits
    /// Restore points of all clients together.
    public var restorePointsMax = RestorePoint.countMax
    public var openRunsMax = OpenRun.countMax
    /// The same below the name of one token.
    public var openRunsOfOneMax = OpenRun.countOfOneMax

    public init(
        bodyBytesMax: Int = 16 << 20, pageMax: Int = 1_000, json: JSONLimits = .standard
    ) {
        self.bodyBytesMax = bodyBytesMax
        self.pageMax = pageMax
        self.json = json
    }

    /// The default size of a page.
    static let pageDefault = 50

    /// A page of changes ends when it has this number of bytes: a change may be as large as a
    /// document.
    static let pageBytes = 4 << 20

    /// The patches in the response to a change of several documents have this number of bytes
    /// together; longer ones are left out, and the documents have what they say.
    static let patchesBytesMax = 4 << 20

    /// The longest window and the greatest age of a group that can be set.
    static let debounceMax = Duration.seconds(3600)

    /// The result of an agent's tool, which the response has twice, as text and as JSON: more would
    /// fill a model's memory, and much of the daemon's.
    static let agentResultBytesMax = 4 << 20

    /// Responses of this size are worth compressing; larger ones than the second would hold up
    /// their event loop.
    static let codedBytes = 1_024...(4 << 20)

    /// A value up to this size is shown with a conflict; of larger ones the size.
    static let conflictValueBytesMax = 4 << 10

    /// The limit on drafts that a page scans: each is compared with its origin.
    static let draftsPageMax = 100
    static let draftsPageDefault = 20
    /// Bytes of documents that are loaded to find which of them are drafts of one: about 0.5 s.
    static let draftsBytesMax = 32 << 20

    /// How long a request for news may wait: a client that has gone is not noticed before.
    static let waitMax = Duration.seconds(60)

    /// The range and the default of the silence of a feed: a bookmark ends it, which shows that the
    /// stream is alive, and whether a client that cannot close it is still there.
    static let heartbeat = Duration.seconds(1)...Duration.seconds(60)
    static let heartbeatDefault = Duration.seconds(15)

    /// The range and the default of the time for which a client is present without a renewal.
    static let presence = Duration.seconds(5)...Duration.seconds(60)
    static let presenceDefault = Duration.seconds(30)

    /// How long a scope may live before it closes by itself.
    static let scopeLifetime = Duration.milliseconds(100)...Duration.seconds(30 * 86_400)

    /// The range of the bound on a document's history.
    static let historyAge = Duration.seconds(1)...Duration.seconds(3_650 * 86_400)
    static let identityNamesMax = 16
    /// The range of the time after which a restore point forgets itself.
    static let restorePointLifetime = Duration.seconds(1)...Duration.seconds(3_650 * 86_400)
    /// The range and the default of the time for which a run stays open without an edit.
    static let openRunLifetime = Duration.seconds(1)...Duration.seconds(86_400)
    static let openRunLifetimeDefault = Duration.seconds(600)

    /// Longest idempotency key, in bytes.
    static let tokenBytesMax = 255
    /// Shorter prefixes of keys could be guessed, and with them others' keys be seen.
    static let keyPrefixBytesMin = 8
    /// Numbers in the order of commits, as far as JSON's numbers are exact everywhere.
    static let sequenceMax = 1 << 53
    /// Documents that one feed can name.
    static let feedDocumentsMax = 100

    /// A label and an actor's name are for people; this is plenty.
    static let nameBytesMax = 256

    /// A label of the daemon's own, made of a client's words; none if these are too long.
    static func label(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= nameBytesMax ? $0 : nil }
    }

    /// Tags and the keys of snapshots are names for people; this is plenty.
    static let keyBytesMax = 256

    /// Larger bodies are parsed and prepared on worker threads: an event loop serves others, and
    /// this takes it about a millisecond.
    static let bodyOnLoopBytesMax = 64 << 10

    /// The memory of a value and of a byte of text during a request about them: the body, the tree,
    /// the entry, and intermediate copies.
    private static let bytesForValue = 100
    private static let bytesForByte = 4

    /// About how much memory a request takes while it is carried out, whatever its body says: a
    /// value takes two bytes of text at least.
    func workBytes(bodyBytes: Int) -> Int {
        Limits.bytesForByte * bodyBytes
            + Limits.bytesForValue * min(bodyBytes / 2, json.valuesMax)
    }

    /// Throws unless a text can be the name of a tag or the key of a snapshot.
    @discardableResult
    static func checkName(_ text: String, _ what: String) throws(Problem) -> String {
        guard !text.isEmpty, text.utf8.count <= keyBytesMax else {
            throw Problem(.malformedRequest, "\(what) has 1 to \(keyBytesMax) bytes.")
        }
        return text
    }
}
