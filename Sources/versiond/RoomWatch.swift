import Journaling
import Logging
import Threading

/// Notices in time that the disk gets full, and soon that there is room again.
///
/// After a change was refused for lack of room, `/readyz` reports it, so a balancer may send no
/// more requests: this watch therefore checks whether there is room again. It also lets the journal
/// remove the remains of erasures.
struct RoomWatch: Sendable {
    let journal: any RoomWatching
    let logger: Logger
    /// The thread for its disk access.
    let thread: WorkQueue

    private static let pause = Duration.seconds(1)
    /// The daemon warns the operator below this free space.
    private static let freeBytesMin = 256 << 20

    /// Looks until its task is cancelled.
    func run() async {
        var isLow = false
        while !Task.isCancelled {
            let hasRoomAgain = await thread.run { journal.checkRoom() }
            if hasRoomAgain { logger.notice("the disk has free space again") }
            if let free = journal.freeBytes { warn(free, &isLow) }
            try? await ContinuousClock().sleep(for: RoomWatch.pause)
        }
    }

    private func warn(_ free: Int, _ isLow: inout Bool) {
        if free < RoomWatch.freeBytesMin, !isLow {
            logger.warning("the disk of the journal has \(free >> 20) MB of free space")
            isLow = true
        }
        // Not at each byte more or less.
        if free > 2 * RoomWatch.freeBytesMin { isLow = false }
    }
}
