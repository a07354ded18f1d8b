/// A parameter of a statement, in PostgreSQL's binary format.
struct SQLValue {
    /// The object identifier of its type: the same in all engines that speak the protocol.
    let type: UInt32
    /// `nil`: NULL.
    let bytes: [UInt8]?

    private static let (bytea, bigint) = (UInt32(17), UInt32(20))
    private static let (byteaArray, bigintArray) = (UInt32(1001), UInt32(1016))

    static func bytes(_ value: [UInt8]?) -> SQLValue { SQLValue(type: bytea, bytes: value) }

    static func text(_ value: String) -> SQLValue { .bytes(Array(value.utf8)) }

    static func integer(_ value: Int) -> SQLValue {
        SQLValue(type: bigint, bytes: bigEndian(Int64(value)))
    }

    /// NULL, where an array of bytes may be.
    static let noArray = SQLValue(type: byteaArray, bytes: nil)

    static func array(_ values: [[UInt8]]) -> SQLValue {
        SQLValue(type: byteaArray, bytes: array(of: bytea, values))
    }

    static func array(_ values: [Int]) -> SQLValue {
        SQLValue(
            type: bigintArray, bytes: array(of: bigint, values.map { bigEndian(Int64($0)) }))
    }

    private static func bigEndian<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
        stride(from: Integer.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: value >> $0)
        }
    }

    /// Dimensions, whether there are NULLs, type; of the one dimension length and lower bound; and
    /// of each element length and bytes.
    private static func array(of type: UInt32, _ elements: [[UInt8]]) -> [UInt8] {
        let size = elements.reduce(20) { $0 + 4 + $1.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        for number in [1, 0, Int32(type), Int32(elements.count), 1] { bytes += bigEndian(number) }
        for element in elements {
            bytes += bigEndian(Int32(element.count))
            bytes += element
        }
        return bytes
    }
}

/// A row of a result, in PostgreSQL's binary format.
struct SQLRow {
    /// `nil`: NULL.
    let columns: [[UInt8]?]

    func bytes(_ column: Int) -> [UInt8] { columns[column] ?? [] }

    func integer(_ column: Int) -> Int { SQLRow.integer(bytes(column)[...]) }

    func flag(_ column: Int) -> Bool { columns[column] == [1] }

    func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// The elements of an array.
    func elements(_ column: Int) -> [[UInt8]] {
        var rest = bytes(column)[...]
        guard rest.count >= 20 else { return [] }
        let count = SQLRow.integer(rest.dropFirst(12).prefix(4))
        rest = rest.dropFirst(20)
        return (0..<count).map { _ in
            let length = SQLRow.integer(rest.prefix(4))
            defer { rest = rest.dropFirst(4 + length) }
            return Array(rest.dropFirst(4).prefix(length))
        }
    }

    func integers(_ column: Int) -> [Int] {
        elements(column).map { SQLRow.integer($0[...]) }
    }

    /// Of 2, 4 or 8 bytes.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        return bytes.reduce(first & 0x80 == 0 ? 0 : -1) { $0 << 8 | Int($1) }
    }
}
