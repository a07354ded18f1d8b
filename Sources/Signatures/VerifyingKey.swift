import COpenSSL
import Hashing

/// How a token is signed, by the names of RFC 7518 and 8037.
public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    /// HMAC with SHA-256: a verifier can also sign.
    case hs256 = "HS256"
    /// RSA, PKCS #1 v1.5, with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}

/// Checks signatures of one algorithm, and no other: what a signature says of itself is not asked.
///
/// Cost of a check: HS256 1 µs, the others 30 to 150 µs. Any thread may use it.
public struct VerifyingKey: Sendable {
    public let algorithm: SignatureAlgorithm
    /// A hash of the key's source and algorithm. The same key in another form has another one.
    public let fingerprint: [UInt8]
    private let key: Key

    private enum Key: Sendable {
        case secret([UInt8])
        case open(PublicKey)
    }

    /// A shared secret is as long as the hash at least (RFC 7518 section 3.2).
    public static let secretBytesMin = 32
    /// Shorter RSA keys are not safe (RFC 7518 section 3.3).
    public static let bitsMin = 2_048

    /// A secret of 32 bytes at least, for HS256.
    public init?(secret: [UInt8]) {
        guard secret.count >= VerifyingKey.secretBytesMin else { return nil }
        (algorithm, key) = (.hs256, .secret(secret))
        fingerprint = VerifyingKey.mark(.hs256, [secret])
    }

    /// A public key in PEM (`BEGIN PUBLIC KEY`); `nil` if it is none for this algorithm.
    public init?(pem: String, for algorithm: SignatureAlgorithm) {
        self.init(PublicKey(pem: Array(pem.utf8)), for: algorithm, of: [Array(pem.utf8)])
    }

    /// An RSA key, the highest bytes first.
    public init?(modulus: [UInt8], exponent: [UInt8]) {
        self.init(
            PublicKey(modulus: modulus, exponent: exponent), for: .rs256, of: [modulus, exponent])
    }

    /// A point on P-256.
    public init?(x: [UInt8], y: [UInt8]) {
        guard x.count == 32, y.count == 32 else { return nil }
        self.init(PublicKey(point: [4] + x + y), for: .es256, of: [x, y])
    }

    /// An Ed25519 key of 32 bytes.
    public init?(ed25519 bytes: [UInt8]) {
        self.init(PublicKey(ed25519: bytes), for: .edDSA, of: [bytes])
    }

    private init?(
        _ key: PublicKey?, for algorithm: SignatureAlgorithm, of parts: [[UInt8]]
    ) {
        guard let key, key.fits(algorithm) else { return nil }
        (self.algorithm, self.key) = (algorithm, .open(key))
        fingerprint = VerifyingKey.mark(algorithm, parts)
    }

    private static func mark(
        _ algorithm: SignatureAlgorithm, _ parts: [[UInt8]]
    ) -> [UInt8] {
        let hashes = [Array(algorithm.rawValue.utf8)] + parts
        return SHA256.hash(hashes.flatMap { SHA256.hash($0) })
    }

    /// Whether a signature is one of these bytes, as RFC 7515 has it: of ES256 two numbers.
    public func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        switch key {
        case .secret(let secret):
            return signature.isSameSeal(as: SHA256.authentication(of: bytes, key: secret))
        case .open(let key): return key.verifies(signature, of: bytes, algorithm)
        }
    }
}

extension VerifyingKey: Equatable {
    /// Whether both were made of the same bytes.
    public static func == (left: VerifyingKey, right: VerifyingKey) -> Bool {
        left.fingerprint == right.fingerprint
    }
}

/// A public key of libcrypto.
///
/// `@unchecked`: libcrypto permits any number of threads to verify with one key, each with a
/// context of its own, and the key has no other use.
@safe private final class PublicKey: @unchecked Sendable {
    private let key: OpaquePointer

    private init?(_ key: OpaquePointer?) {
        guard let key = unsafe key else { return nil }
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    convenience init?(pem: [UInt8]) {
        unsafe self.init(versiond_key_pem(pem, Int32(pem.count)))
    }

    convenience init?(modulus: [UInt8], exponent: [UInt8]) {
        unsafe self.init(
            versiond_key_rsa(modulus, Int32(modulus.count), exponent, Int32(exponent.count)))
    }

    convenience init?(point: [UInt8]) {
        unsafe self.init(versiond_key_p256(point, point.count))
    }

    convenience init?(ed25519 bytes: [UInt8]) {
        unsafe self.init(
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count))
    }

    func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .hs256: false
        case .rs256:
            unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
                && Int(EVP_PKEY_get_bits(key)) >= VerifyingKey.bitsMin
        case .es256: unsafe versiond_key_is_p256(key) == 1
        case .edDSA: unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519
        }
    }

    func verifies(
        _ signature: [UInt8], of bytes: [UInt8], _ algorithm: SignatureAlgorithm
    ) -> Bool {
        var signature = signature
        if algorithm == .es256 {
            guard signature.count == 64 else { return false }
            // Two numbers of 33 bytes at most, each with two more, and two before.
            var coded = [UInt8](repeating: 0, count: 80)
            let count = unsafe versiond_signature_der(signature, &coded, Int32(coded.count))
            signature = Array(coded.prefix(Int(count)))
        }
        let hashes: Int32 = algorithm == .edDSA ? 0 : 1
        return unsafe versiond_verify(
            key, hashes, signature, signature.count, bytes, bytes.count) == 1
    }
}
