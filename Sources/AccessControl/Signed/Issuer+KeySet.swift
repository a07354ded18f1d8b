import Hashing
import JSONTree
public import Signatures

extension Issuer {
    /// As many keys a set may have.
    public static let keysMax = 100

    /// The keys of an algorithm in a JSON Web Key Set (RFC 7517); `nil` if it is malformed. Keys
    /// for other purposes are skipped, as the standard demands.
    public static func keys(
        ofSet bytes: [UInt8], for algorithm: SignatureAlgorithm
    ) -> [Key]? {
        let limits = JSONLimits(depthMax: 8, documentBytesMax: 1 << 20, valuesMax: 10_000)
        guard let set = try? JSON(parsing: bytes, limits: limits),
            let keys = set["keys"]?.elements, keys.count <= keysMax
        else { return nil }
        return keys.compactMap { Key($0, for: algorithm) }
    }
}

extension Issuer.Key {
    fileprivate init?(_ key: JSON, for algorithm: SignatureAlgorithm) {
        guard key["use"].map({ $0 == "sig" }) ?? true,
            key["alg"].map({ $0.string == algorithm.rawValue }) ?? true,
            let verifying = Issuer.Key.verifying(key, for: algorithm)
        else { return nil }
        self.init(id: key["kid"]?.string, verifying)
    }

    private static func verifying(
        _ key: JSON, for algorithm: SignatureAlgorithm
    ) -> VerifyingKey? {
        func bytes(_ name: String) -> [UInt8] {
            key[name]?.string.flatMap { [UInt8](base64url: $0) } ?? []
        }
        return switch (algorithm, key["kty"]?.string, key["crv"]?.string) {
        case (.hs256, "oct", _): VerifyingKey(secret: bytes("k"))
        case (.rs256, "RSA", _): VerifyingKey(modulus: bytes("n"), exponent: bytes("e"))
        case (.es256, "EC", "P-256"): VerifyingKey(x: bytes("x"), y: bytes("y"))
        case (.edDSA, "OKP", "Ed25519"): VerifyingKey(ed25519: bytes("x"))
        default: nil
        }
    }
}
