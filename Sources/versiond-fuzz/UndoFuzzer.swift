import TestSupport

/// A random history of several people: every response of a kept effect history is compared with
/// that of a history made anew and with the slow model; in the end everybody undoes everything.
@Sendable func fuzzUndo(_ seed: UInt64) throws -> String? {
    let options = RandomHistory.Options(hasGroups: seed % 2 == 1, hasMoves: seed % 4 > 1)
    var history = RandomHistory(seed: seed, options)
    try history.run(steps: 50)
    try history.undoEverything(skips: options.hasGroups)
    let isBack = history.scene.tree == history.scene.start
    return isBack ? nil : "\(history.scene.tree) is left of \(history.scene.start)"
}
