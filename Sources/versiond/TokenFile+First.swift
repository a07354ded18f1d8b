import AccessControl
import Foundation
import Logging

extension TokenFile {
    /// Makes the file with one token that may do everything, if it is not there, and prints the
    /// token's secret on standard output: this once, since only its hash is kept.
    static func makeFirst(_ path: String, _ logger: Logger) throws {
        if FileManager.default.fileExists(atPath: path) { return }
        let token = Token()
        try change(path, mayBeNew: true) { tokens in
            guard tokens.entries.isEmpty else { return }
            tokens.tokens.append(
                Entry(
                    name: "admin", hash: Token.hash(of: token.secret),
                    rights: try rights(Rights.allNames)))
        }
        logger.notice("created \(path) with the token admin; this message shows its secret once")
        print(token.secret)
        fflush(nil)
    }
}
