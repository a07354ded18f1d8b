import HTTPServing

extension DocumentsAPI {
    /// `GET /`: who opens the daemon in a browser wants to look.
    func start(_ call: Call) {
        call.send(HTTPResponse(status: 307, fields: [(name: "Location", value: "/ui/")]))
    }

    /// `GET /ui/`
    func index(_ call: Call) throws(Problem) {
        try file(call, "")
    }

    /// `GET /client.js`: a document in a browser, that several people edit at once.
    func client(_ call: Call) throws(Problem) {
        try file(call, "client.js")
    }

    /// `GET /client.d.ts`: its types.
    func clientTypes(_ call: Call) throws(Problem) {
        try file(call, "client.d.ts")
    }

    /// `GET /ui/{file}`
    func file(_ call: Call, _ name: String) throws(Problem) {
        call.respond { () throws(Problem) in try WebUI.response(name) }
    }
}

/// The web UI, at `/ui/`: it only reads, by the calls that everybody has.
enum WebUI {
    /// Nothing is loaded from elsewhere, and the page cannot be framed.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let files: [String: (type: String, bytes: [UInt8])] = [
        "": ("text/html; charset=utf-8", PackageResources.index_html),
        "look.css": ("text/css; charset=utf-8", PackageResources.look_css),
        "client.js": ("text/javascript; charset=utf-8", PackageResources.client_js),
        "client.d.ts": ("text/plain; charset=utf-8", PackageResources.client_d_ts),
        "together": ("text/html; charset=utf-8", PackageResources.together_html),
        "together.css": ("text/css; charset=utf-8", PackageResources.together_css),
        "together.js": ("text/javascript; charset=utf-8", PackageResources.together_js),
        "look.js": ("text/javascript; charset=utf-8", PackageResources.look_js),
    ]

    static func response(_ name: String) throws(Problem) -> HTTPResponse {
        guard let file = files[name] else { throw Router.unknown(["ui"]) }
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
