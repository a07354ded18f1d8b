/// Signed tokens whose signatures were checked, by their hashes: a signature takes a hundred times
/// as long as looking here.
///
/// Bounded: tokens that were not used while many others were are forgotten first, and verified
/// again at their next use. Only tokens that an issuer signed can fill it.
struct VerifiedTokens {
    struct Entry {
        /// Whose it is, and the fingerprint of the key that verified it.
        let origin: SignedToken.Origin
        let key: [UInt8]
        let claims: Claims
        /// Its grant, by the list of this edition.
        var grant: Grant
        var edition: Int
        /// How much room it takes, about.
        let bytes: Int
    }

    /// The newest, and those that were the newest before.
    private var young: [String: Entry] = [:]
    private var old: [String: Entry] = [:]
    private var youngBytes = 0

    /// The limits of each half: tokens and bytes.
    static let halfCountMax = 10_000
    static let halfBytesMax = 8 << 20

    var count: Int { young.count + old.count }

    subscript(hash: String) -> Entry? {
        mutating get {
            if let entry = young[hash] { return entry }
            guard let entry = old.removeValue(forKey: hash) else { return nil }
            keep(entry, hash)
            return entry
        }
    }

    mutating func keep(_ entry: Entry, _ hash: String) {
        let former = young.updateValue(entry, forKey: hash)
        youngBytes += entry.bytes - (former?.bytes ?? 0)
        guard
            young.count >= VerifiedTokens.halfCountMax
                || youngBytes >= VerifiedTokens.halfBytesMax
        else { return }
        (old, young, youngBytes) = (young, [:], 0)
    }

    mutating func forget(_ hash: String) {
        if let former = young.removeValue(forKey: hash) { youngBytes -= former.bytes }
        old[hash] = nil
    }
}
