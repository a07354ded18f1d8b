import HTTPCalling
import JSONTree

/// What the shell offers: asked of the daemon, which has a quarter of a second.
enum Completing {
    /// Names of documents that begin as what is being typed.
    static let documents: @Sendable ([String], Int, String) -> [String] = { _, _, begun in
        let query = [("prefix", begun), ("limit", "50")]
        guard let found = ask(target("/v1/documents", query)) else { return [] }
        return found["documents"]?.elements?.compactMap { $0["document"]?.string } ?? []
    }

    private static func ask(_ target: String) -> JSON? {
        Programs.end(afterMilliseconds: 250)
        var options = CommonOptions()
        options.color = .never
        guard let session = try? Session(options, timeout: 1),
            let answer = try? session.raw(HTTPCall("GET", target)), answer.status == 200
        else { return nil }
        return try? JSON(parsing: answer.body)
    }
}
