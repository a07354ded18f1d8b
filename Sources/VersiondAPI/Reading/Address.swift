import Documents
import Journaling
import Naming

/// An address as a client wrote it.
enum Address: Sendable, Equatable {
    /// A state of a document.
    case state(StateAddress)
    /// A position in the order of commits, as the client sees it.
    case position(Int)
    /// The position of a restore point.
    case restorePoint(Name)

    init(_ text: String, named name: String) throws(Problem) {
        if text == "head" {
            self = .state(.head)
        } else if text == "origin" {
            self = .state(.origin)
        } else if let tag = text.dropping("tag:") {
            self = .state(.tag(Name(tag)))
        } else if let version = text.dropping("version:").flatMap({ WholeNumber.parse($0) }) {
            self = .state(.version(version))
        } else if let snapshot = text.dropping("snapshot:") {
            self = .state(.snapshot(Name(snapshot)))
        } else if let point = text.dropping(Address.pointMark) {
            self = .restorePoint(Name(point))
        } else if let position = Address.position(text) {
            self = .position(position)
        } else if let revision = WholeNumber.parse(text) {
            self = .state(.revision(revision))
        } else if let time = RFC3339.parse(text) {
            self = .state(.time(time))
        } else {
            throw Problem(
                .malformedRequest,
                "\(name) must be a revision, version:N, tag:NAME, snapshot:NAME, "
                    + "restore-point:NAME, cursor:N, head, origin, or a time.",
                hint:
                    "Example: \(name)=tag:draft, \(name)=2026-01-31T12:00:00Z (in a URL, + is %2B)."
            )
        }
    }

    /// The beginning of addresses of restore points.
    static let pointMark = "restore-point:"

    private static func position(_ text: String) -> Int? {
        guard let number = text.dropping("cursor:").flatMap({ WholeNumber.parse($0) }) else {
            return nil
        }
        return number <= Limits.sequenceMax ? number : nil
    }

    /// Whether it is a state that a document was in.
    var isRevision: Bool { if case .state(let state) = self { state.isRevision } else { true } }

    /// Whether many documents have it in common.
    var isCommon: Bool {
        switch self {
        case .state(.time), .position, .restorePoint: true
        case .state: false
        }
    }
}

extension String {
    /// The text after a prefix, compared as bytes: a name may begin with a mark that Swift would
    /// see as part of the colon.
    fileprivate func dropping(_ prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(utf8.dropFirst(prefix.utf8.count))
    }
}
