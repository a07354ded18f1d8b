import Glibc

/// The lines of a file, as they arrive.
struct Lines {
    private let file: Int32
    private var rest: [UInt8] = []
    /// The scanned bytes, which have no line end.
    private var searched = 0
    private var isAtEnd = false

    init(_ file: Int32) {
        self.file = file
    }

    /// The next line, without its end; `nil` when there is none. A last line without end is one.
    mutating func next() -> [UInt8]? {
        while true {
            if let end = rest[searched...].firstIndex(of: 0x0a) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                searched = 0
                return line
            }
            searched = rest.count
            if isAtEnd {
                defer { (rest, searched) = ([], 0) }
                return rest.isEmpty ? nil : rest
            }
            fill()
        }
    }

    private mutating func fill() {
        var part = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe read(file, &part, part.count)
        if count < 0, errno == EINTR { return }
        if count <= 0 { isAtEnd = true }
        rest += part[..<max(0, count)]
    }
}
