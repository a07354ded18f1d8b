extension JSON {
    /// The length of `serialized()`. O(1).
    public var byteCount: Int {
        switch storage {
        case .null: 4
        case .bool(let value): value ? 4 : 5
        case .integer(let value): JSON.integerWidth(value)
        case .decimal(let mantissa, let scale): JSON.decimalWidth(mantissa, scale: Int(scale))
        case .number(let text): text.bytes.count
        case .short(let short): short.quotedCount
        case .string(let node): node.quotedCount
        case .rope(let rope): rope.summary.quoted + 2
        case .array(let node): node.count == 0 ? 2 : node.contentBytes + 1
        case .object(let node): node.count == 0 ? 2 : node.contentBytes + 1
        }
    }

    /// How deeply arrays and objects nest: 0 for a scalar, 1 for `[]`. O(1).
    public var height: Int {
        switch storage {
        case .array(let node): node.height
        case .object(let node): node.height
        default: 0
        }
    }
}
