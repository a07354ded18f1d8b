import Synchronization

extension WorkQueue {
    /// Runs a task on the threads of a queue, as work of one owner.
    ///
    /// A piece of a task goes from one `await` to the next. The first one begins the task; all
    /// others end what was begun, and come before what begins. An `await` holds no thread.
    ///
    /// After `stop`, a piece runs on the thread that resumes the task: each task ends.
    public final class Executor: TaskExecutor {
        private let queue: WorkQueue
        private let owner: String?
        private let hasBegun: Atomic<Bool>

        /// `isBegun`: the task continues work that began elsewhere.
        public init(_ queue: WorkQueue, owner: String? = nil, isBegun: Bool = false) {
            self.queue = queue
            self.owner = owner
            hasBegun = Atomic(isBegun)
        }

        /// Whether the current task has an executor.
        public static var isCurrent: Bool {
            // The task is not kept.
            unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor != nil }
        }

        /// Called by the runtime with each piece.
        public func enqueue(_ job: consuming ExecutorJob) {
            let piece = UnownedJob(job)
            let work: Work = { [self] in
                // `self` is held while it runs.
                unsafe piece.runSynchronously(on: asUnownedTaskExecutor())
            }
            let isAccepted =
                hasBegun.exchange(true, ordering: .relaxed)
                ? queue.asyncEnding(of: owner, work) : queue.async(of: owner, work)
            if !isAccepted { work() }
        }
    }
}
