public import JSONTree

/// The result of a request.
public enum Outcome: Sendable {
    /// The change was made: by this request, or by the same one earlier.
    case made(Transition, isRepeated: Bool = false)
    /// There was nothing to do.
    indirect case nothing(Document, MergeReport? = nil)
    /// The change that there would be; nothing happened.
    indirect case dryRun(Change?, Document, MergeReport? = nil)

    /// The change that was made, or would be; `nil` if there was nothing to do.
    public var change: Change? {
        switch self {
        case .made(let made, _): made.change
        case .nothing: nil
        case .dryRun(let change, _, _): change
        }
    }

    /// The tree that the change's patch was applied to.
    public var before: JSON {
        switch self {
        case .made(let made, _): made.before
        case .nothing(let document, _), .dryRun(_, let document, _): document.tree
        }
    }

    /// The document after it.
    public var document: Document { withDocument { $0 } }

    /// Reads the document after it where it is: documents are large to copy.
    public func withDocument<Value>(_ body: (Document) -> Value) -> Value {
        switch self {
        case .made(let made, _): body(made.document)
        case .nothing(let document, _), .dryRun(_, let document, _): body(document)
        }
    }

    /// Everything that the change did to the tree, or would do; empty if there was nothing to do.
    public var edits: ReversiblePatch {
        switch self {
        case .made(let made, _): made.change.edits
        case .nothing: .empty
        case .dryRun(let change, _, _): change?.edits ?? .empty
        }
    }

    /// The document's revision after it; `nil` if there is none.
    public var revision: Int? {
        withDocument { $0.life == .unborn ? nil : $0.revision }
    }

    /// The result of the merge, if the edit was made on an old state.
    public var merge: MergeReport? {
        switch self {
        case .made(let made, _): made.merge
        case .nothing(_, let merge), .dryRun(_, _, let merge): merge
        }
    }

    /// The actor's next undo and redo after it, if known.
    public var own: OwnAvailability? {
        if case .made(let made, isRepeated: false) = self { made.own } else { nil }
    }

    /// Whether the request created the document.
    public var isCreated: Bool {
        guard case .made(let made, _) = self else { return false }
        return switch made.change.kind {
        case .create, .copy: true
        default: false
        }
    }

    /// Whether the request made a tag or a snapshot of a name that there was not.
    public var isNewName: Bool {
        if case .made(let made, _) = self { made.isNewName } else { false }
    }

    /// Whether its text is longer than `bytes`: with the whole value, or for clients without text
    /// operations, which receive edited strings as new strings.
    public func isLong(_ bytes: Int, isWhole: Bool, speaksText: Bool) -> Bool {
        switch self {
        case .made(let made, _):
            // Both values are small, so the edits between them are small. Checked without a copy.
            max(made.before.byteCount, made.document.tree.byteCount) > bytes
                && made.change.isLong(bytes, isWhole: isWhole, speaksText: speaksText)
        case .dryRun(let change?, let document, _):
            change.edits.byteCount > bytes
                || document.tree.byteCount > bytes
                    && change.isLong(bytes, isWhole: isWhole, speaksText: speaksText)
        case .nothing(let document, _), .dryRun(nil, let document, _):
            isWhole && document.tree.byteCount > bytes
        }
    }

    /// Whether it was a dry run: nothing happened.
    public var isDryRun: Bool {
        if case .dryRun = self { true } else { false }
    }

    /// Whether the change was made earlier, by the same request.
    public var isRepeated: Bool {
        if case .made(_, isRepeated: true) = self { true } else { false }
    }

    /// The tree after it; of a dry run, the tree that there would be.
    public var tree: JSON {
        guard case .dryRun(let change?, let document, _) = self else { return document.tree }
        return (try? document.tree.applying(change.edits)) ?? document.tree
    }
}
