import Hashing

/// Signs tokens as an application would, with a shared secret.
public struct TokenSigning: Sendable {
    public let secret: [UInt8]

    public init(secret: String = "an application's secret of 40 bytes.....") {
        self.secret = Array(secret.utf8)
    }

    /// A token of these claims, as JSON.
    public func token(_ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#) -> String
    {
        let signed = TokenSigning.letters(header) + "." + TokenSigning.letters(claims)
        let seal = SHA256.authentication(of: Array(signed.utf8), key: secret)
        return signed + "." + TokenSigning.letters(seal)
    }

    /// Base64 for addresses, without padding.
    public static func letters(_ bytes: [UInt8]) -> String {
        bytes.base64url
    }

    public static func letters(_ text: String) -> String {
        letters(Array(text.utf8))
    }
}
