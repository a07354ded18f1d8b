import JSONTree

/// Up to where everything has been delivered, in a file that one relay has at a time.
struct RelayState {
    private let path: String
    private let lock: Int32
    /// The position in the feed; `nil` before the first.
    private(set) var cursor: Int?

    init(_ path: String) throws(Trouble) {
        self.path = path
        guard let lock = try Files.lock(path + ".lock") else {
            throw Trouble(
                .later, "Another relay uses \(path).",
                hint: "Use a separate state file for each relay.")
        }
        self.lock = lock
        guard Files.exists(path) else { return }
        guard let json = try? JSON(reading: try Files.read(path)), let cursor = json["cursor"]?.int
        else {
            throw Trouble(
                .badInput, "\(path) is not a valid state file.",
                hint: "Write {\"cursor\":N} to it, or remove it and restart with --since N.")
        }
        self.cursor = cursor
    }

    /// On the disk when this returns.
    mutating func advance(to cursor: Int) throws(Trouble) {
        if self.cursor == cursor { return }
        let state: JSON = ["cursor": JSON(cursor)]
        try Files.write(state.serialized() + [0x0a], to: path)
        self.cursor = cursor
    }
}
