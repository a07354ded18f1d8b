import ArgumentParser
import HTTPCalling

/// A document, and perhaps one of its states: `menu`, `menu@7`, `menu@tag:lunch`.
struct DocumentAddress: ExpressibleByArgument, Equatable {
    let name: String
    /// The state in the form of the daemon; `nil` for the newest state.
    let state: String?

    /// The part after an `@` is a state if it has the form of one, of several the last; otherwise
    /// it belongs to the name. `menu@7@head` is a document that is called `menu@7`.
    init?(argument: String) {
        if argument.isEmpty { return nil }
        let places = argument.indices.filter { argument[$0] == "@" && $0 != argument.startIndex }
        for place in places.reversed() {
            let rest = String(argument[argument.index(after: place)...])
            guard let state = State(argument: rest) else { continue }
            (name, self.state) = (String(argument[..<place]), state.text)
            return
        }
        (name, state) = (argument, nil)
    }

    /// Of a name as it is, whatever is in it.
    init(name: String) {
        (self.name, state) = (name, nil)
    }

    /// Throws if the argument names a state: `command` always concerns the current document.
    func checkIsNow(_ command: String) throws(Trouble) {
        guard let state, state != "head" else { return }
        throw Trouble(
            .usage, "\(command) supports only the newest state of \(name), not \(name)@\(state).",
            hint: "If \(name)@\(state) is the name of the document, use \(name)@\(state)@head.")
    }

    static var defaultCompletionKind: CompletionKind { .custom(Completing.documents) }

    /// The path of its calls.
    var path: String { "/v1/documents/" + name.escaped }
}

/// A state of a document: `7`, `version:12`, `tag:lunch`, `snapshot:all`, `head`, `origin`, a time,
/// or how long ago: `1h`.
struct State: ExpressibleByArgument, Equatable {
    let text: String

    static var defaultCompletionKind: CompletionKind { .custom(Completing.states) }

    init?(argument: String) {
        let words = ["head", "origin"]
        let kinds = ["version:", "tag:", "snapshot:", "restore-point:", "cursor:"]
        if words.contains(argument) || Int(argument).map({ $0 >= 0 }) == true
            || kinds.contains(where: { argument.hasPrefix($0) && argument.count > $0.count })
        {
            text = argument
        } else if let time = Times.address(argument) {
            text = time
        } else {
            return nil
        }
    }
}

/// Those members or parameters that have a value.
func given<Value>(_ pairs: (String, Value?)...) -> [(String, Value)] {
    pairs.compactMap { name, value in value.map { (name, $0) } }
}

/// A target with a query.
func target(_ path: String, _ query: [(String, String)]) -> String {
    let text = query.map { "\($0)=\($1.escaped)" }.joined(separator: "&")
    return text.isEmpty ? path : path + "?" + text
}
