import Testing
import Threading

/// Tasks on the threads of a queue.
struct TaskTests {
    /// An owner of tasks that note their pieces, and wait in between.
    private final class Scene: Sendable {
        let queue = WorkQueue(name: "test", threads: 0)
        let notes = Lock<[String]>([])
        let waiting = Lock<[CheckedContinuation<Void, Never>]>([])

        func begin(_ name: String, of owner: String) {
            Task(executorPreference: WorkQueue.Executor(queue, owner: owner)) { [self] in
                note("\(name) begins")
                await wait()
                note("\(name) goes on")
            }
        }

        func note(_ text: String) { notes.withLock { $0.append(text) } }

        func wait() async {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0.append(continuation) }
            }
        }

        func resumeAll() {
            for continuation in waiting.withLock({ $0 }) { continuation.resume() }
            waiting.withLock { $0 = [] }
        }

        func run() -> [String] {
            while queue.runNext() {}
            return notes.withLock { $0 }
        }
    }

    @Test func `a task runs piece by piece on the queue, and holds no thread while it waits`() {
        let scene = Scene()
        scene.begin("a", of: "ada")
        #expect(scene.notes.withLock { $0 }.isEmpty)
        #expect(scene.run() == ["a begins"])
        #expect(!scene.queue.runNext())
        scene.resumeAll()
        #expect(scene.notes.withLock { $0 } == ["a begins"])
        #expect(scene.run() == ["a begins", "a goes on"])
    }

    @Test func `what was begun goes on before anything else begins`() {
        let scene = Scene()
        scene.begin("a", of: "ada")
        _ = scene.run()
        scene.begin("b", of: "bob")
        scene.resumeAll()
        #expect(scene.run() == ["a begins", "a goes on", "b begins"])
    }

    @Test func `owners have turns at each piece, however many tasks one of them has`() {
        let scene = Scene()
        for name in ["a", "b", "c"] { scene.begin(name, of: "ada") }
        scene.begin("d", of: "bob")
        #expect(scene.run() == ["a begins", "d begins", "b begins", "c begins"])
        scene.notes.withLock { $0 = [] }
        scene.resumeAll()
        #expect(scene.run() == ["a goes on", "d goes on", "b goes on", "c goes on"])
    }

    @Test func `one piece of an owner runs at a time, with however many threads`() async {
        let queue = WorkQueue(name: "test", threads: 4)
        let running = Lock((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                let executor = WorkQueue.Executor(queue, owner: "ada")
                group.addTask(executorPreference: executor) {
                    for _ in 0..<10 {
                        running.withLock { state in
                            state.now += 1
                            state.most = max(state.most, state.now)
                        }
                        running.withLock { $0.now -= 1 }
                        await Task.yield()
                    }
                }
            }
        }
        #expect(running.withLock { $0.most } == 1)
        queue.stop()
    }

    @Test func `a task that waits when the queue is stopped ends all the same`() {
        let scene = Scene()
        scene.begin("a", of: "ada")
        _ = scene.run()
        scene.queue.stop()
        scene.resumeAll()
        #expect(scene.notes.withLock { $0 } == ["a begins", "a goes on"])
    }
}
