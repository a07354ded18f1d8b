import Hashing
import JSONTree
import Signatures

/// A JSON Web Token in its compact form (RFC 7519, RFC 7515): what it says, and a signature.
///
/// Before `claims(verifiedBy:)`, none of its content is trusted: only the issuer and the key that
/// it names are read.
struct SignedToken: Sendable {
    let origin: Origin
    private let algorithm: String
    private let payload: JSON
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// The issuer and the key that a token names, if it does.
    struct Origin: Sendable, Equatable {
        let issuer: String?
        let keyID: String?
    }

    /// Longer tokens are none: a header field of a request holds no more in many proxies.
    static let bytesMax = 8_192

    private static let limits = JSONLimits(
        depthMax: 8, documentBytesMax: bytesMax, valuesMax: 1_000)

    /// Whether a secret has the form of one; those of `versiond token create` have not.
    static func isLike(_ secret: String) -> Bool {
        secret.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2
    }

    /// Takes a token apart; `nil` if it is none.
    ///
    /// `crit` names what must be understood, and nothing of that kind is (RFC 7515 section
    /// 4.1.11). Keys in the header (`jwk`, `jku`, `x5c`) are not read.
    init?(_ text: String) {
        guard text.utf8.count <= SignedToken.bytesMax else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = SignedToken.object(parts[0]),
            let payload = SignedToken.object(parts[1]),
            let signature = [UInt8](base64url: parts[2]),
            header["crit"] == nil, let algorithm = header["alg"]?.string
        else { return nil }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        origin = Origin(issuer: payload["iss"]?.string, keyID: header["kid"]?.string)
        signed = Array(text.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    private static func object(_ part: Substring) -> JSON? {
        guard let bytes = [UInt8](base64url: part),
            let object = try? JSON(parsing: bytes, limits: limits), object.kind == .object
        else { return nil }
        return object
    }

    /// The claims, and which of these keys signed them. The key's algorithm applies; a token that
    /// names another is refused (RFC 8725 section 3.1).
    func claims(
        verifiedBy keys: [VerifyingKey]
    ) throws(TokenFault) -> (claims: Claims, key: VerifyingKey) {
        let found = keys.first { key in
            algorithm == key.algorithm.rawValue && key.verifies(signature, of: signed)
        }
        guard let found else { throw .badSignature }
        return (try Claims(payload), found)
    }
}

/// The reason why a signed token is invalid.
public enum TokenFault: Error, Equatable, Sendable {
    /// No issuer is known by this name.
    case unknownIssuer(String?)
    /// It is not signed by the issuer, or was changed since.
    case badSignature
    /// It is signed, and what it claims cannot be granted.
    case badClaims(String)
    /// Its time is over.
    case expired(name: String)
    /// The token becomes valid in this number of seconds.
    case notYet(seconds: Int, name: String)
    /// Its issuer took it back.
    case revoked(name: String)
}
