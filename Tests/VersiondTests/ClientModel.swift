import TestSupport

/// The responses that one client got about its document, change by change: the obvious model of
/// undo, scopes and tags. The document is a list of numbers; a version is the numbers that it
/// added.
struct ClientModel: Sendable {
    var revision = -1
    var versions: [[Int]] = []
    /// The versions that redo would restore, the next one last.
    var undone: [[Int]] = []
    /// The open scopes: how many versions there were, and what could be redone.
    var scopes: [(floor: Int, undone: [[Int]])] = []
    var tags = 0
    /// The request whose answer was lost: it may have happened or not.
    var unanswered: Request?

    enum Request: Sendable {
        case create
        case append(Int)
        case undo, redo
        case tag(Int)
        case push, pop, discard
    }

    var floor: Int { scopes.last?.floor ?? 0 }

    /// A request that must succeed.
    func next(_ random: inout SeededGenerator) -> Request {
        if revision < 0 { return .create }
        switch random.below(12) {
        case 0, 1: return versions.count > floor ? .undo : .append(revision + 1)
        case 2: return undone.isEmpty ? .append(revision + 1) : .redo
        case 3: return .tag(revision + 1)
        case 4: return scopes.count < 3 ? .push : .pop
        case 5: return scopes.isEmpty ? .append(revision + 1) : .pop
        case 6: return scopes.isEmpty ? .append(revision + 1) : .discard
        default: return .append(revision + 1)
        }
    }

    mutating func happened(_ request: Request) {
        unanswered = nil
        revision += 1
        switch request {
        case .create: break
        case .append(let number):
            versions.append([number])
            undone = []
        case .undo: undone.append(versions.removeLast())
        case .redo: versions.append(undone.removeLast())
        case .tag: tags += 1
        case .push:
            scopes.append((floor: versions.count, undone: undone))
            undone = []
        case .pop:
            let scope = scopes.removeLast()
            let inner = versions[scope.floor...].flatMap { $0 }
            versions.removeSubrange(scope.floor...)
            undone = inner.isEmpty ? scope.undone : []
            if !inner.isEmpty { versions.append(inner) }
        case .discard:
            let scope = scopes.removeLast()
            versions.removeSubrange(scope.floor...)
            undone = scope.undone
        }
    }
}

extension ClientModel.Request {
    func send(to path: String, _ line: RawConnection) throws -> Answer {
        switch self {
        case .create:
            try line.request("PUT", path, ["Content-Type": "application/json"], body: "[]")
        case .append(let number):
            try line.request(
                "PATCH", path, ["Content-Type": "application/json-patch+json"],
                body: #"[{"op":"add","path":"/-","value":\#(number)}]"#)
        case .undo: try line.request("POST", path + "/undo")
        case .redo: try line.request("POST", path + "/redo")
        case .tag(let number): try line.request("PUT", path + "/tags/t\(number)")
        case .push: try line.request("POST", path + "/scopes/push")
        case .pop: try line.request("POST", path + "/scopes/pop")
        case .discard: try line.request("POST", path + "/scopes/discard")
        }
    }
}
