/// Writes JSON text into memory that is known to suffice, and checks that it does.
@safe struct TextWriter {
    private let base: UnsafeMutablePointer<UInt8>?
    private let capacity: Int
    private(set) var count = 0

    private init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe base = buffer.baseAddress
        capacity = buffer.count
    }

    /// Appends `count` bytes to `text`, which `body` writes, every one of them.
    static func append(
        _ count: Int, to text: inout [UInt8], _ body: (inout TextWriter) -> Void
    ) {
        text.append(addingCapacity: count) { (space: inout OutputSpan<UInt8>) in
            unsafe space.withUnsafeMutableBufferPointer { buffer, initializedCount in
                var writer = unsafe TextWriter(buffer)
                body(&writer)
                precondition(writer.count == count, "the length is known beforehand")
                initializedCount = count
            }
        }
    }

    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        precondition(count < capacity, "the length is known beforehand")
        unsafe base.unsafelyUnwrapped[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func set(_ place: Int, _ byte: UInt8) {
        precondition(place >= 0 && place < count, "inside what is written")
        unsafe base.unsafelyUnwrapped[place] = byte
    }

    @inline(__always)
    mutating func bytes(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= capacity - count, "the length is known beforehand")
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe (base.unsafelyUnwrapped + count).initialize(from: start, count: source.count)
        }
        count += bytes.count
    }
}

extension TextWriter {
    /// A member's name with quotes and colon.
    @inline(__always)
    mutating func name(_ index: Int, of shape: Shape) {
        shape.withText(of: index) { bytes($0) }
    }

    /// Any value without parts: a scalar, `[]` or `{}`.
    mutating func scalar(_ value: JSON) {
        switch value.storage {
        case .null: word(0x6c6c_756e, 4)
        case .bool(let value): value ? word(0x6575_7274, 4) : word(0x65_736c_6166, 5)
        case .integer(let value): integer(value)
        case .decimal(let mantissa, let scale):
            let text = JSON.decimalText(mantissa, scale: Int(scale))
            bytes(text.span)
        case .number(let number):
            let text = number.bytes
            bytes(text.span)
        case .short(let short): self.short(short)
        case .string(let node): node.withBytes { quoted($0) }
        case .rope(let rope):
            byte(0x22)
            rope.forEachPiece { escaped($0.span) }
            byte(0x22)
        case .array: word(0x5d5b, 2)
        case .object: word(0x7d7b, 2)
        }
    }

    /// Up to eight bytes, the lowest first.
    @inline(__always)
    mutating func word(_ word: UInt64, _ length: Int) {
        for offset in 0..<length { byte(UInt8(truncatingIfNeeded: word >> UInt64(8 * offset))) }
    }

    private mutating func integer(_ value: Int64) {
        let width = JSON.integerWidth(value)
        var rest = value.magnitude
        for _ in 0..<width { byte(UInt8(ascii: "-")) }
        var place = count - 1
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            set(place, 0x30 + UInt8(digit))
            rest = quotient
            place -= 1
        } while rest > 0
    }

    @inline(__always)
    private mutating func short(_ short: ShortString) {
        byte(0x22)
        let isPlain = short.isPlain
        for offset in 0..<Int(short.count) {
            let next = short.byte(at: offset)
            if isPlain || !Quoting.isSpecial(next) {
                byte(next)
            } else {
                escape(next)
            }
        }
        byte(0x22)
    }

    /// A string with its quotes.
    @inline(__always)
    mutating func quoted(_ text: Span<UInt8>) {
        byte(0x22)
        escaped(text)
        byte(0x22)
    }

    private mutating func escape(_ byte: UInt8) {
        let escape = Quoting.escape(byte)
        bytes(escape.span)
    }

    private mutating func escaped(_ text: Span<UInt8>) {
        var clean = 0
        while true {
            let next = Quoting.nextSpecial(text, clean)
            bytes(text.extracting(clean..<next))
            guard next < text.count else { return }
            escape(text[next])
            clean = next + 1
        }
    }
}
