/// Lines out of the parts of a stream, however it was cut. O(bytes).
struct LineReader {
    /// A line is longer than any change may be.
    struct TooLong: Error {}

    /// The limit on a line: a change holds at most a document of the daemon's largest size.
    static let bytesMax = 256 << 20

    private let bytesMax: Int
    private var rest: [UInt8] = []

    init(bytesMax: Int = LineReader.bytesMax) {
        self.bytesMax = bytesMax
    }

    /// Takes a part. Returns the lines that it ends, without empty ones.
    mutating func take(_ part: [UInt8]) throws(TooLong) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var begin = part.startIndex
        while let end = part[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            rest += part[begin..<end]
            if rest.count > bytesMax { throw TooLong() }
            if !rest.isEmpty { lines.append(rest) }
            rest = []
            begin = end + 1
        }
        rest += part[begin...]
        if rest.count > bytesMax { throw TooLong() }
        return lines
    }
}
