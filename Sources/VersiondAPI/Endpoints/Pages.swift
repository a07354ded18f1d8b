import HTTPServing

/// The page for looking, at `/ui/`: it only reads, by the calls that everybody has.
enum LookingPage {
    /// Nothing from elsewhere is loaded, asked or framed.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let files: [String: (type: String, bytes: [UInt8])] = [
        "": ("text/html; charset=utf-8", PackageResources.index_html),
        "look.css": ("text/css; charset=utf-8", PackageResources.look_css),
        "look.js": ("text/javascript; charset=utf-8", PackageResources.look_js),
    ]

    static func response(_ name: String) throws(Problem) -> HTTPResponse {
        guard let file = files[name] else { throw Route.unknown }
        return HTTPResponse(
            status: 200,
            fields: [
                (name: "Content-Type", value: file.type),
                (name: "Cache-Control", value: "no-cache"),
                (name: "Content-Security-Policy", value: policy),
                (name: "Referrer-Policy", value: "no-referrer"),
            ], body: file.bytes)
    }
}
