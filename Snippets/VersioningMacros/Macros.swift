// The same without writing anything down twice.
import VersioningMacros

@Versionable
struct Task: Identifiable, Sendable {
    let id: Int
    var title: String
    var state: State
    var subtasks: [Task]
    @VersionableIgnored var views = 0

    @Versionable
    enum State: Sendable {
        case open
        case done(by: String)
    }
}

@Versioning
struct Board {
    var task = Task(id: 1, title: "Paint", state: .open, subtasks: [])
}

let board = Board()
board.task.subtasks.append(Task(id: 2, title: "Buy paint", state: .open, subtasks: []))
board.task.subtasks[0].state = .done(by: "ada")
board.task.views += 1
board.$task.undo()
print(board.task.subtasks[0].state, board.task.views)
board.$task.undo()
print(board.task.subtasks.count, board.$task.hasUndo)

// Prints:
// open 1
// 0 false
