import AccessControl
import Documents
import HTTPServing
import JSONTree
import Journaling
import Naming

// Names for positions in the order of commits.

extension DocumentsAPI {
    /// `GET /v1/restore-points?prefix=&cursor=&limit=`: in the order of the names' bytes.
    func restorePoints(_ call: Call) throws(Problem) {
        let limit = try call.pageLimit(limits)
        let prefix = try call.grant.narrowed(call.query("prefix") ?? "")
        task(call) { [store] () async throws(Problem) in
            let page = try await call.found(
                await store.restorePoints(
                    prefix: prefix, after: call.query("cursor"), limit: limit))
            call.send(call.json(page.points, next: page.next))
        }
    }

    /// `GET /v1/restore-points/{name}`
    func restorePoint(_ call: Call, _ text: String) throws(Problem) {
        let name = try call.pointName(text)
        task(call) { [store] () async throws(Problem) in
            let point = try await call.found(await store.restorePoint(name))
            guard let point else { throw Problem(unknownRestorePoint: name) }
            call.send(call.json(point))
        }
    }

    /// `PUT /v1/restore-points/{name}`: with `{"prefix":"menus/"}` for some documents, with `at`
    /// for an earlier position. A restore point that exists moves, unless `If-None-Match: *`.
    func putRestorePoint(_ call: Call, _ text: String) throws(Problem) {
        let name = try call.pointName(text)
        let body = try call.command()
        let prefix = try call.grant.narrowed(body["prefix"]?.string ?? "")
        guard prefix.utf8.count <= DocumentID.bytesMax else {
            throw Problem(
                malformed: "/prefix", "A prefix has at most \(DocumentID.bytesMax) bytes.")
        }
        let lifetime = try call.duration("ttl", in: Limits.restorePointLifetime)
        let at = try body.address("at").flatMap { address throws(Problem) in
            try call.position(of: address)
        }
        let request = try call.pointRequest(.put)
        let isNew = request.precondition.noneMatch != nil
        task(call) { [self] () async throws(Problem) in
            var known = try await call.found(await store.storedRestorePoint(name))
            if known.point == nil, let revision = known.revision {
                // So that the record says whether there was one, also to a repetition.
                await store.removeEnded(name, at: revision)
                known.revision = nil
            }
            let request = try call.guarded(request, known)
            if known.point == nil {
                let most = limits.restorePointsMax
                guard try await call.found(await store.hasRoomForRestorePoint(upTo: most)) else {
                    throw Problem(tooManyRestorePoints: most)
                }
            }
            let put: (point: RestorePoint, isNew: Bool, isRepeated: Bool)
            do throws(Refusal) {
                put = try await store.putRestorePoint(
                    name, prefix: prefix, at: at, lifetime: lifetime, request)
            } catch {
                throw call.problem(error.error, name, isNew: isNew)
            }
            call.send(call.json(put.point, isNew: put.isNew, isRepeated: put.isRepeated))
        }
    }

    /// `DELETE /v1/restore-points/{name}`
    func deleteRestorePoint(_ call: Call, _ text: String) throws(Problem) {
        let name = try call.pointName(text)
        let request = try call.pointRequest(.delete)
        task(call) { [self] () async throws(Problem) in
            let known = try await call.found(await store.storedRestorePoint(name))
            guard known.point != nil || request.token != nil else {
                throw Problem(unknownRestorePoint: name)
            }
            let request = try call.guarded(request, known)
            do throws(Refusal) { try await store.removeRestorePoint(name, request) } catch {
                throw call.problem(error.error, name, isNew: false)
            }
            call.send(HTTPResponse(status: 204))
        }
    }
}

extension Call {
    /// The name in the path.
    fileprivate func pointName(_ text: String) throws(Problem) -> Name {
        guard !text.isEmpty, text.utf8.count <= RestorePoint.nameBytesMax else {
            throw Problem(
                .malformedRequest,
                "The name of a restore point has 1 to \(RestorePoint.nameBytesMax) bytes.")
        }
        let name = try name(text, of: "The name")
        try checkReach(ofPoint: name)
        return name
    }

    /// The requester and the condition: `If-None-Match: *` of a PUT, and no other.
    fileprivate func pointRequest(_ method: HTTPMethod) throws(Problem) -> ChangeRequest {
        let condition = try precondition()
        let isNew = method == .put && condition.noneMatch == .any && condition.match == nil
        if !isNew { try noConditions() }
        var request = try request(.nothing, label: try label(), condition)
        request.token = try token()
        return request
    }

    /// The request about a restore point as it was found. One of another actor may be moved or
    /// deleted with the right to undo others' edits; without it, also not one that comes meanwhile.
    fileprivate func guarded(
        _ request: ChangeRequest, _ known: (point: RestorePoint?, revision: Int?)
    ) throws(Problem) -> ChangeRequest {
        var request = request
        let isOwn = known.point.map { $0.actor == request.actor || owns($0.actor) } ?? true
        if !isOwn { try needsRightToUndoOthers() }
        // One whose time is over counts as none.
        let isNew = request.precondition.noneMatch != nil
        if isNew && known.point != nil { return request }
        if isNew || !grant.rights.contains(.undoOthers) {
            request.precondition =
                known.revision.map { Precondition(match: .these([$0])) }
                ?? Precondition(noneMatch: .any)
        }
        return request
    }

    /// Whether it is the token's name, or below it.
    func owns(_ actor: Name) -> Bool {
        !grant.name.isEmpty && actor.isOne(of: Name(grant.name))
    }

    /// `isNew`: the restore point was to be a new one.
    fileprivate func problem(_ error: ChangeError, _ name: Name, isNew: Bool) -> Problem {
        switch error {
        case .stale where isNew:
            Problem(.restorePointExists, "The restore point \(name) exists.")
        case .stale: Problem(ChangeError.overtaken)
        case .unknownDocument, .deleted: Problem(unknownRestorePoint: name)
        default: Problem(error)
        }
    }

    fileprivate func json(
        _ point: RestorePoint, isNew: Bool = false, isRepeated: Bool = false
    ) -> HTTPResponse {
        var text = jsonText()
        text.object { $0.describe(point) }
        return json(text, isNew: isNew, isRepeated: isRepeated)
    }

    fileprivate func json(_ points: [RestorePoint], next name: Name?) -> HTTPResponse {
        let points = points.filter { grant.covers($0.name.text) }
        let fields = name.map { [next("cursor", $0.text)] } ?? []
        if prefersLines { return lines(points, fields: fields) { $0.describe($1) } }
        var text = jsonText()
        text.object { text in
            text.name("restorePoints")
            text.array(points) { text, point in text.object { $0.describe(point) } }
            text.member("next", name.map { JSON($0.text) } ?? .null)
        }
        return json(text, fields: fields)
    }
}

extension JSONText {
    fileprivate mutating func describe(_ point: RestorePoint) {
        member("restorePoint", point.name)
        member("prefix", point.prefix)
        position("cursor", point.position)
        if point.actor != .nobody { member("actor", point.actor) }
        member("time", RFC3339.text(point.time))
        if let label = point.label { member("label", label) }
        if let expiry = point.expiry { member("expires", RFC3339.text(expiry)) }
    }
}

extension Problem {
    /// No restore point has this name.
    init(unknownRestorePoint name: Name) {
        self.init(.unknownRestorePoint, "The restore point \(name) does not exist.")
    }

    fileprivate init(tooManyRestorePoints max: Int) {
        self.init(.tooManyRestorePoints, "There are \(max) restore points.")
        members = [("max", .number(max))]
    }
}
