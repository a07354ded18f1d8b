import FoundationEssentials
public import JSONTree

/// A coder between Codable models and JSON values that loses nothing of a document.
///
/// Numbers keep their digits, and a model that changes leaves members alone that it does not know:
/// an older app edits a document that a newer one has extended.
public struct ModelCoder: Sendable {
    /// The form of dates in documents.
    public enum DateForm: Sendable {
        /// A text as `2026-11-30T23:00:00Z` (RFC 3339, in UTC, with milliseconds if there are any).
        case text
        /// A number of seconds since the beginning of 1970.
        case seconds
        /// A number of milliseconds since then.
        case milliseconds
    }

    /// The form of dates. The default is `.text`.
    public var dates: DateForm
    /// The members that identify an element of an array, however much else of it changed.
    public var identityNames: [String]

    /// A coder for a form of dates, and for elements that are identified by `id` unless other
    /// members are named.
    public init(dates: DateForm = .text, identityNames: [String] = ["id"]) {
        self.dates = dates
        self.identityNames = identityNames
    }

    /// The JSON value of a model. O(size).
    public func encode(_ model: some Encodable) throws(ModelError) -> JSON {
        let node = EncodingNode(path: [])
        do { try ModelEncoder(node, self).encode(model) } catch { throw ModelError(error) }
        return node.value
    }

    /// The model in a JSON value. Members that the model does not know are ignored. O(size).
    public func decode<Model: Decodable>(
        _ type: Model.Type, from value: JSON
    ) throws(ModelError) -> Model {
        do { return try ModelDecoder(value, path: [], self).decode(type) } catch {
            throw ModelError(error)
        }
    }

    /// The operations that make a document contain another model. O(size).
    ///
    /// The document is read as a model and compared in that form, so only that which the program
    /// has changed is edited: members that the model does not know stay, as do the digits of
    /// numbers that it leaves alone, and `null` where it has no value.
    public func operations<Model: Codable>(
        from document: JSON, to model: Model
    ) throws(ModelError) -> JSONPatch {
        try operations(from: encode(decode(Model.self, from: document)), to: encode(model))
    }

    /// The same of two models in their encoded form.
    func operations(from known: JSON, to next: JSON) throws(ModelError) -> JSONPatch {
        let steps = known.comparison(to: next, identityNames: identityNames)
        do { return try steps.operations(on: known) } catch {
            throw ModelError(pointer: error.pointer ?? .root, reason: error.description)
        }
    }
}

/// A value that does not fit a model, or a model that JSON cannot express.
public struct ModelError: Error, Sendable, Equatable {
    /// The place in the document.
    public let pointer: JSONPointer
    /// The reason, for developers.
    public let reason: String

    init(pointer: JSONPointer, reason: String) {
        self.pointer = pointer
        self.reason = reason
    }

    init(_ error: any Error) {
        switch error {
        case let error as ModelError: self = error
        case EncodingError.invalidValue(_, let context): self.init(context)
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            self.init(context)
        case DecodingError.keyNotFound(let key, let context):
            self.init(
                pointer: JSONPointer(keys: context.codingPath),
                reason: "The member \(key.stringValue) is missing.")
        default: self.init(pointer: .root, reason: "\(error)")
        }
    }

    private init(_ context: EncodingError.Context) {
        self.init(
            pointer: JSONPointer(keys: context.codingPath), reason: context.debugDescription)
    }

    private init(_ context: DecodingError.Context) {
        self.init(
            pointer: JSONPointer(keys: context.codingPath), reason: context.debugDescription)
    }
}

extension JSONPointer {
    fileprivate init(keys: [any CodingKey]) {
        self.init(names: keys.map { $0.intValue.map(String.init) ?? $0.stringValue })
    }
}
