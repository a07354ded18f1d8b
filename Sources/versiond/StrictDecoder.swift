import ArgumentParser
import Foundation

/// Decodes JSON files and refuses unknown members. Faults are reported with their place, like
/// `tokens[2].rate`.
enum StrictDecoder {
    static func decode<Value: Codable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try String(from: decoder)
            if let date = try? Date(text, strategy: .iso8601) { return date }
            throw ValidationError(
                "\(place(decoder.codingPath)): \(text) is not a time like 2027-01-31T12:00:00Z")
        }
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw ValidationError("the file must be a JSON object")
        }
        do {
            let value = try decoder.decode(type, from: data)
            try checkNames(object, try self.object(value), "")
            return value
        } catch let error as DecodingError {
            throw ValidationError(words(error))
        }
    }

    /// A value as `JSONSerialization` takes it.
    static func object(_ value: some Encodable) throws -> [String: Any] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let object = try JSONSerialization.jsonObject(with: try encoder.encode(value))
        return object as? [String: Any] ?? [:]
    }

    /// Throws if encoding the decoded value loses a member: that member is unknown. Members that
    /// begin with // are comments.
    private static func checkNames(_ read: Any, _ written: Any, _ place: String) throws {
        if let read = read as? [String: Any], let written = written as? [String: Any] {
            for (name, value) in read.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("//") {
                let place = place.isEmpty ? name : "\(place).\(name)"
                guard let other = written[name] else {
                    throw ValidationError("\(place) is unknown")
                }
                try checkNames(value, other, place)
            }
        } else if let read = read as? [Any], let written = written as? [Any] {
            for (index, (value, other)) in zip(read, written).enumerated() {
                try checkNames(value, other, "\(place)[\(index)]")
            }
        }
    }

    private static func words(_ error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            "\(place(context.codingPath)) must be \(kind(of: type))"
        case .keyNotFound(let key, let context):
            "\(place(context.codingPath)) has no \(key.stringValue)"
        // It is JSON: of numbers alone some are none for us.
        case .dataCorrupted: "a number is not an integer, or is too large"
        @unknown default: "\(error)"
        }
    }

    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Bool.Type: "true or false"
        case is Int.Type: "an integer"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.reduce("") { place, key in
            key.intValue.map { "\(place)[\($0)]" }
                ?? (place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)")
        }
    }
}
