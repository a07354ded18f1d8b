import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// The daemon itself.

extension DocumentsAPI {
    /// `GET /v1`: name, versions, limits, capabilities.
    func discovery(_ call: Call) throws(Problem) {
        var text = JSONText()
        text.object { text in
            text.member("name", "versiond")
            text.member("version", identity.version)
            text.member("api", "v1")
            text.member("links") { text in
                for (name, path) in DocumentsAPI.links { text.member(name, path) }
                if !identity.documentation.isEmpty {
                    text.member("documentation", identity.documentation)
                }
            }
            text.member("limits") { text in
                text.member("bodyBytesMax", limits.bodyBytesMax)
                text.member("documentBytesMax", limits.json.documentBytesMax)
                text.member("valuesMax", limits.json.valuesMax)
                text.member("depthMax", limits.json.depthMax)
                text.member("numberBytesMax", limits.json.numberBytesMax)
                text.member("operationsMax", limits.json.operationsMax)
                text.member("pageMax", limits.pageMax)
                text.member("snapshotsMax", Snapshot.countMax)
                text.member("mergeRevisionsMax", EditBase.revisionsMax)
                text.member("mergeBytesMax", EditBase.bytesMax)
                text.member("mergePairsMax", EditBase.pairsMax)
                text.member("tagsMax", Document.tagsMax)
                text.member("nameBytesMax", Limits.nameBytesMax)
                text.member("transactionDocumentsMax", TransactionRequest.documentsMax)
                text.member("undoDocumentsMax", TransactionRequest.undoDocumentsMax)
                text.member("selectionChangesMax", ChangeSelection.changesMax)
                text.member("waitMax", HumanDuration.text(Limits.waitMax))
                text.member("keysRemembered", HumanDuration.text(RequestLog.age))
                text.member("keysMax", RequestLog.countMax)
            }
            text.member("capabilities", JSON(elements: DocumentsAPI.capabilities.map { JSON($0) }))
        }
        call.send(call.json(text))
    }

    private static let capabilities = [
        "json-patch", "merge-patch", "text-operations", "debounce", "tags", "scopes", "goto",
        "if-match", "merge", "actor-undo", "change-undo", "dry-run", "snapshots", "diff",
        "feed", "idempotency-key", "ignored", "tracked", "retention", "gzip", "versions",
        "blame", "restore", "copy", "rename", "undelete", "purge", "export", "tickets",
        "selection-undo", "restore-points", "runs", "open-runs", "transactions", "drafts",
        "presence", "schemas",
        "mcp",
    ]

    /// Where to begin.
    private static let links = [
        ("documents", "/v1/documents"), ("history", "/v1/history"), ("feed", "/v1/feed"),
        ("whoami", "/v1/whoami"), ("description", "/openapi.json"), ("problems", "/problems"),
        ("ui", "/ui/"),
    ]

    /// `GET /v1/whoami`: the rights of the client; the name is empty without tokens.
    func whoAmI(_ call: Call) throws(Problem) {
        let grant = call.grant
        var text = JSONText()
        text.object { text in
            text.member("name", grant.name)
            if let promptBy = grant.promptBy { text.member("promptBy", promptBy) }
            text.name("rights")
            text.array(grant.rights.names) { $0.value(JSON($1)) }
            if let prefix = grant.reach.prefix { text.member("prefix", prefix) }
            if !grant.reach.documents.isEmpty {
                text.name("documents")
                text.array(grant.reach.documents.sorted()) { $0.value(JSON($1.text)) }
            }
            if let expiry = grant.expiry {
                text.member("expires", RFC3339.text(Timestamp(milliseconds: expiry)))
            }
        }
        call.send(call.json(text))
    }

    /// `GET /livez`: the daemon runs.
    func alive(_ call: Call) throws(Problem) {
        call.send(DocumentsAPI.plain("ok\n"))
    }

    /// `GET /readyz`: whether work should be sent here.
    func ready(_ call: Call) throws(Problem) {
        if call.query("verbose") != nil { return call.send(readyChecks) }
        if let failure = store.failure {
            return call.refuse(Problem(JournalError.stopped("\(failure)")))
        }
        if let fault = store.journalFault {
            return call.refuse(
                Problem(
                    .journalUnavailable, "The journal cannot store changes: \(fault)."))
        }
        if isDraining() { return call.refuse(Problem(HTTPFault.stopping)) }
        call.send(DocumentsAPI.plain("ok\n"))
    }

    /// Each check in a line, as people read it.
    private var readyChecks: HTTPResponse {
        let checks: [(name: String, fault: String?)] = [
            ("journal", (store.failure ?? store.journalFault).map { "\($0)" }),
            ("serving", isDraining() ? "the daemon is stopping" : nil),
        ]
        let lines = checks.map { check in
            check.fault.map { "[-] \(check.name): \($0)\n" } ?? "[+] \(check.name)\n"
        }
        let isReady = checks.allSatisfy { $0.fault == nil }
        return DocumentsAPI.plain(
            lines.joined() + (isReady ? "ready\n" : "not ready\n"), status: isReady ? 200 : 503)
    }

    /// `GET /metrics`: the Prometheus text format.
    func metrics(_ call: Call) throws(Problem) {
        // Some of it is looked up on the disk: not on the event loop.
        let isAccepted = store.resume { [metricsText] in
            call.respond { () throws(Problem) in
                var response = DocumentsAPI.plain(metricsText?() ?? "")
                response.fields = [
                    (name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8")
                ]
                return response
            }
        }
        if !isAccepted { call.refuse(Problem(HTTPFault.stopping)) }
    }

    /// `GET /problems`: every kind of problem.
    func problems(_ call: Call) throws(Problem) {
        var text = JSONText()
        text.array(Problem.Kind.all) { text, kind in DocumentsAPI.describe(kind, &text) }
        call.send(call.json(text))
    }

    /// `GET /problems/{code}`: what a problem's `type` leads to.
    func problem(_ call: Call, _ code: String) throws(Problem) {
        guard let kind = Problem.Kind.all.first(where: { $0.code == code }) else {
            throw Problem(.unknownProblem, "The problem code \(code) is unknown.")
        }
        var text = JSONText()
        DocumentsAPI.describe(kind, &text)
        call.send(call.json(text))
    }

    private static func describe(_ kind: Problem.Kind, _ text: inout JSONText) {
        text.object { text in
            text.member("type", "/problems/\(kind.code)")
            text.member("code", kind.code)
            text.member("status", kind.status)
            text.member("title", kind.title)
            text.member("hint", kind.hint)
        }
    }
}
