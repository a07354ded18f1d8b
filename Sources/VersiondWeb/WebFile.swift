import Compression
import Hashing
import Synchronization

/// A file that browsers get: the web UI, the page that edits together, and the client library.
public struct WebFile: Sendable {
    /// Its media type.
    public let type: String
    public let bytes: [UInt8]
    /// The bytes in gzip, as small as it makes them.
    public let compressed: [UInt8]
    /// Another one as soon as a byte is another one.
    public let tag: String

    private init(name: String, text: StaticString) {
        type = WebFile.type(of: name)
        bytes = Array(text.description.utf8)
        compressed = Gzip.encode(bytes, effort: .small)
        tag = String(SHA256.hash(bytes).hexadecimal.prefix(16))
    }

    /// The file of a name in its address; `""` is the web UI's page.
    ///
    /// The first call makes all files, some 20 ms, most of them for gzip; see `areMade`.
    public static func named(_ name: String) -> WebFile? {
        defer { made.store(true, ordering: .relaxed) }
        return files[name]
    }

    /// Whether `named` takes no time any more.
    public static var areMade: Bool { made.load(ordering: .relaxed) }

    private static let made = Atomic(false)

    private static let files = Dictionary(
        uniqueKeysWithValues: texts.map { name, text in
            (address(of: name), WebFile(name: name, text: text))
        })

    private static func address(of name: String) -> String {
        if name == "index.html" { return "" }
        return name.hasSuffix(".html") ? String(name.dropLast(5)) : name
    }

    private static func type(of name: String) -> String {
        let types = [
            ("html", "text/html"), ("css", "text/css"), ("js", "text/javascript"),
            ("svg", "image/svg+xml"),
        ]
        let known = types.first { name.hasSuffix("." + $0.0) }?.1
        return (known ?? "text/plain") + "; charset=utf-8"
    }
}
