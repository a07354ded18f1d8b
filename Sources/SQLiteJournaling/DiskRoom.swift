import Glibc
import Journaling

/// Room on the disk of a journal: whether there is any, and some that is kept for erasing.
///
/// The reserve is a file of nothing. On a full disk it is removed before something is erased, which
/// needs room for a while before it gives any back, and is made again when there is room.
struct DiskRoom: Sendable {
    /// The room that an attempt needs: more than the index of a log takes when a journal is opened.
    private static let triedBytes = 64 << 10
    /// The reserve: room to erase a document of some 10,000 changes.
    private static let reserveBytes = 4 << 20
    /// The reserve takes at most this share of the free room.
    private static let reserveShare = 16

    let directory: String

    private var reservePath: String { directory + "/reserve" }

    /// Why nothing can be stored for lack of room; `nil` if there is room, or another reason.
    func lack() -> JournalError? {
        let path = directory + "/room.new"
        defer { unsafe unlink(path) }
        let code = DiskRoom.make(path, bytes: DiskRoom.triedBytes)
        return DiskRoom.isLack(code) ? .full(DiskRoom.reason(code)) : nil
    }

    /// Keeps the reserve, if there is much room.
    func keepReserve() {
        let path = reservePath
        var status = stat()
        // After a power cut it may be there with nothing in it.
        if unsafe stat(path, &status) == 0, status.st_size >= DiskRoom.triedBytes { return }
        let bytes = min(DiskRoom.reserveBytes, (freeBytes ?? 0) / DiskRoom.reserveShare)
        guard bytes >= DiskRoom.triedBytes else { return }
        let isMade = DiskRoom.make(path, bytes: bytes) == 0
        if isMade { Ownership.adopt(path, in: directory) } else { unsafe unlink(path) }
    }

    /// Gives the reserve up. Returns whether there was one.
    func useReserve() -> Bool { unsafe unlink(reservePath) == 0 }

    /// The bytes that may still be written; `nil` if the file system does not say.
    var freeBytes: Int? {
        var status = statvfs()
        guard unsafe statvfs(directory, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// Makes a file that takes as many bytes. Returns 0, or why it cannot.
    private static func make(_ path: String, bytes: Int) -> Int32 {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        defer { close(file) }
        return posix_fallocate(file, 0, bytes)
    }

    /// Whether an error of the system means that no room is left.
    static func isLack(_ code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
