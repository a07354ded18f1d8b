import Glibc

/// The output: results on standard output, messages on standard error.
struct Screen {
    let hasColor: Bool
    let isQuiet: Bool
    /// Whether the output is a terminal.
    let isTerminal: Bool

    init(_ options: CommonOptions) {
        isTerminal = isatty(STDOUT_FILENO) == 1
        isQuiet = options.quiet
        hasColor =
            switch options.color {
            case .always: true
            case .never: false
            case .auto: isTerminal && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
            }
    }

    enum Color: String {
        case green = "32", red = "31", yellow = "33", cyan = "36", grey = "90", bold = "1"
    }

    func painted(_ text: String, _ color: Color) -> String {
        hasColor ? "\u{1b}[\(color.rawValue)m\(text)\u{1b}[0m" : text
    }

    /// A result. If it cannot be written, that is the end: a script would take half of it for all.
    func write(_ bytes: [UInt8]) {
        if Files.write(bytes, to: STDOUT_FILENO) { return }
        note("error: Cannot write to standard output: \(Files.lastFailure).")
        exit(Trouble.Status.system.rawValue)
    }

    func line(_ text: String) {
        write(Array(text.utf8) + [0x0a])
    }

    /// A message about a change; omitted with `--quiet`.
    func tell(_ text: String) {
        if !isQuiet { line(text.visible) }
    }

    /// A message on standard error.
    func note(_ text: String) { Screen.note(text) }

    static func note(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let shown = lines.map { String($0).visible }.joined(separator: "\n")
        Files.write(Array(shown.utf8) + [0x0a], to: STDERR_FILENO)
    }

    /// Many lines, through a pager on a terminal.
    func page(_ lines: [String]) {
        let text = lines.map { $0 + "\n" }.joined()
        guard isTerminal, lines.count > 20, let pager = variable("PAGER") ?? Screen.standardPager
        else { return write(Array(text.utf8)) }
        if Programs.feed(Array(text.utf8), to: pager) == 127 { write(Array(text.utf8)) }
    }

    /// `less`, if it is there; with colors, and ending where all fits.
    private static var standardPager: String? {
        let paths = ["/usr/bin/less", "/bin/less"]
        return paths.contains(where: Files.exists) ? "less -FRX" : nil
    }
}
