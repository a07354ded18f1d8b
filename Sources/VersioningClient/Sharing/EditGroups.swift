/// The edits that a person makes in one go: one version, one step of undo.
struct EditGroups {
    /// A step is no longer than this number of pauses, even if edits continue.
    private static let pausesMax = 20

    private let prefix: String
    private let pause: Duration
    private var count = 0
    private var given: String?
    private var began = Duration.zero
    private var last: Duration?

    /// `pause`: how long nothing is edited before the next step begins.
    init(prefix: String, pause: Duration) {
        (self.prefix, self.pause) = (prefix, pause)
    }

    /// The name of the step that an edit belongs to. Edits with the same `group` are in one.
    mutating func next(at now: Duration, group: String? = nil) -> String {
        let isOver =
            group == nil
            && (last.map { now - $0 >= pause } ?? true
                || now - began > pause * EditGroups.pausesMax)
        if isOver || group != given {
            count += 1
            began = now
        }
        (last, given) = (now, group)
        return "\(prefix).\(count)"
    }

    /// The next edit begins a step.
    mutating func end() {
        last = nil
    }
}
