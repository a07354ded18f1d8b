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

/// The web UI, at `/ui/`: it uses the calls that everybody has, with the rights of its user.
enum WebUI {
    /// Nothing is loaded from elsewhere, and the page cannot be framed.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static let files: [String: (type: String, bytes: [UInt8])] = [
        "": (page, PackageResources.index_html),
        "look.css": (look, PackageResources.look_css),
        "look.js": (script, PackageResources.look_js),
        "api.js": (script, PackageResources.api_js),
        "feed.js": (script, PackageResources.feed_js),
        "build.js": (script, PackageResources.build_js),
        "changes.js": (script, PackageResources.changes_js),
        "tree.js": (script, PackageResources.tree_js),
        "versions.js": (script, PackageResources.versions_js),
        "dialog.js": (script, PackageResources.dialog_js),
        "actions.js": (script, PackageResources.actions_js),
        "client.js": (script, PackageResources.client_js),
        "client.d.ts": ("text/plain; charset=utf-8", PackageResources.client_d_ts),
        "together": (page, PackageResources.together_html),
        "together.css": (look, PackageResources.together_css),
        "together.js": (script, PackageResources.together_js),
    ]

    private static let page = "text/html; charset=utf-8"
    private static let look = "text/css; charset=utf-8"
    private static let script = "text/javascript; charset=utf-8"

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
