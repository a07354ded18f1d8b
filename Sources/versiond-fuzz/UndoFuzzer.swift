import TestSupport

/// A random history of several actors: every response of a retained effect history is compared with
/// that of a new history and with the slow model; in the end all actors undo everything.
@Sendable func fuzzUndo(_ seed: UInt64) throws -> String? {
    let options = RandomHistory.Options(hasGroups: seed % 2 == 1, hasMoves: seed % 4 > 1)
    var history = RandomHistory(seed: seed, options)
    try history.run(steps: 50)
    try history.undoEverything(skips: options.hasGroups)
    let isBack = history.scene.tree == history.scene.start
    return isBack ? nil : "\(history.scene.tree) is left of \(history.scene.start)"
}
