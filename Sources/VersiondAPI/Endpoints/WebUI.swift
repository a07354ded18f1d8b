import HTTPServing
import VersiondWeb

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
        guard WebFile.areMade else {
            // Not on the event loop: others would wait for it.
            return try inBackground(call, nil, 0) { call in
                call.respond { [call] () throws(Problem) in
                    try WebUI.response(name, for: call.fields)
                }
            }
        }
        call.respond { () throws(Problem) in try WebUI.response(name, for: call.fields) }
    }
}

/// The web UI, at `/ui/`: it uses the public calls, with the rights of its user.
enum WebUI {
    /// Nothing is loaded from elsewhere, and the page cannot be framed.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    static func response(_ name: String, for asked: HTTPFields) throws(Problem) -> HTTPResponse {
        guard let file = WebFile.named(name) else { throw Router.unknown(["ui"]) }
        let known = asked["if-none-match"].flatMap(EntityTag.list) ?? []
        if known.contains(where: { $0.text == file.tag }) {
            return HTTPResponse(status: 304, fields: fields(of: file))
        }
        let response = HTTPResponse(status: 200, fields: fields(of: file), body: file.bytes)
        return HTTPResponse.takesGzip(asked) ? response.coded(file.compressed) : response
    }

    private static func fields(of file: WebFile) -> [(name: String, value: String)] {
        [
            (name: "Content-Type", value: file.type),
            (name: "ETag", value: "\"\(file.tag)\""),
            (name: "Cache-Control", value: "no-cache"),
            (name: "Content-Security-Policy", value: policy),
            (name: "Referrer-Policy", value: "no-referrer"),
        ]
    }
}
