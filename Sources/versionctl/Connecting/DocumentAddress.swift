import ArgumentParser

/// A document, and perhaps one of its states: `menu`, `menu@7`, `menu@tag:lunch`.
struct DocumentAddress: ExpressibleByArgument, Equatable {
    let name: String
    /// As the daemon takes it; `nil` for what it is now.
    let state: String?

    /// What follows the last `@` is a state if it looks like one; else it belongs to the name.
    init?(argument: String) {
        if argument.isEmpty { return nil }
        guard let place = argument.lastIndex(of: "@"), place != argument.startIndex,
            let state = State(argument: String(argument[argument.index(after: place)...]))
        else {
            (name, state) = (argument, nil)
            return
        }
        (name, self.state) = (String(argument[..<place]), state.text)
    }

    static var defaultCompletionKind: CompletionKind { .custom(Completing.documents) }

    /// The path of its calls.
    var path: String { "/v1/documents/" + escaped(name) }
}

/// A state of a document: `7`, `version:12`, `tag:lunch`, `snapshot:all`, `head`, `origin`, a time,
/// or how long ago: `1h`.
struct State: ExpressibleByArgument, Equatable {
    let text: String

    static var defaultCompletionKind: CompletionKind { .custom(Completing.states) }

    init?(argument: String) {
        let words = ["head", "origin"]
        let kinds = ["version:", "tag:", "snapshot:"]
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

/// Percent-encoded: all bytes but those that stand for themselves everywhere.
func escaped(_ text: String) -> String {
    var result = ""
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            result.unicodeScalars.append(Unicode.Scalar(byte))
        default:
            let digits = Array("0123456789ABCDEF")
            result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
    }
    return result
}

/// A target with a query.
func target(_ path: String, _ query: [(String, String)]) -> String {
    let text = query.map { "\($0)=\(escaped($1))" }.joined(separator: "&")
    return text.isEmpty ? path : path + "?" + text
}
