/// The facts about a client that its tools need.
public struct ToolContext: Sendable {
    /// The actor below which runs are named.
    public var name: String
    /// The name of the client's token: its own edits are not a run.
    public var owner: String
    /// Digits that no other run has, for `begin_run`.
    public var digits: String
    /// The run of edits that name none; `nil` if the client must name one.
    public var run: String?
    /// The label of edits without a reason.
    public var label: String?
    /// A time as the API takes it, of an age or a day; `nil` if the text is neither.
    public let time: @Sendable (String) -> String?

    public init(
        name: String, owner: String = "", digits: String, run: String? = nil, label: String? = nil,
        time: @escaping @Sendable (String) -> String?
    ) {
        self.name = name
        self.owner = owner
        self.digits = digits
        self.run = run
        self.label = label
        self.time = time
    }

    /// A run of an actor: `agent-7/run-5f2c81aa`.
    public static func run(of name: String, _ digits: String) -> String { "\(name)/run-\(digits)" }
}
