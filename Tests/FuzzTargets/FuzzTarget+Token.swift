import AccessControl
import Hashing
import Naming
import Signatures

extension FuzzTarget {
    private static let secret = [UInt8]("a secret of thirty-two bytes, or so".utf8)
    private static let now = 1_000_000_000
    private static let rights: Rights = [.read, .propose, .write]
    private static let ageMax = 600_000

    private static let access: AccessControl? = VerifyingKey(secret: secret).map { key in
        var list = AccessList()
        list.add(
            Issuer(
                name: "shop", algorithm: .hs256, keys: [.init(key)], rights: rights,
                prefix: "shop/", rate: .init(requests: 5, seconds: 1), ageMax: ageMax))
        return AccessControl(list) { now }
    }

    /// Bytes are not a token; and a header and claims with a zero between them, which the issuer
    /// signs, grant no more than the issuer may.
    @Sendable static func token(_ bytes: [UInt8]) -> String? {
        guard let access else { return "there is no key" }
        let text = String(decoding: bytes, as: UTF8.self)
        if (try? access.grant(of: .secret(text))) != nil { return "nobody signed it" }
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let signed = Array(parts[0]).base64url + "." + Array(parts[1]).base64url
        let seal = SHA256.authentication(of: Array(signed.utf8), key: secret)
        guard let grant = try? access.grant(of: .secret(signed + "." + seal.base64url)) else {
            return nil
        }
        return fault(of: grant)
    }

    private static func fault(of grant: Grant) -> String? {
        if !rights.isSuperset(of: grant.rights) { return "it may \(grant.rights.names)" }
        let prefixes = [grant.reach.prefix].compactMap(\.self)
        let names = prefixes + grant.reach.documents.map(\.text)
        if !names.allSatisfy({ $0.utf8.starts(with: "shop/".utf8) }) { return "it has \(names)" }
        if grant.reach.documents.count > 100 { return "it has too many documents" }
        if !(1...256).contains(grant.name.utf8.count) { return "it is \(grant.name)" }
        guard let expiry = grant.expiry, expiry > now else { return "it is over" }
        guard let rate = grant.rate, rate.requests <= 5 * rate.seconds else {
            return "it is too fast"
        }
        return nil
    }
}
