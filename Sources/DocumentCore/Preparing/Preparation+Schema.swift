import JSONSchemas
import JSONTree

// A schema guards a document's history: what would break it does not happen.

extension Preparation {
    /// Throws if a change breaks the document's schema, and the value before did not.
    ///
    /// O(size of the change), except for keywords that read the whole value.
    func checkSchema(_ prepared: Prepared) throws(PreparationError) {
        guard let change = prepared.change else { return }
        guard let schema = document.schema(after: change) else { return }
        let before: JSON? = document.exists ? document.tree : nil
        if let before, prepared.tree.isShared(with: before) { return }
        let violations = try violations(of: schema, in: prepared.tree, since: before)
        if violations.isEmpty { return }
        // A value that already breaks the schema may be repaired step by step.
        if let before, try !self.violations(of: schema, in: before).isEmpty { return }
        throw .refused(.invalid(violations))
    }

    private func violations(
        of schema: JSONSchema, in value: JSON, since before: JSON? = nil
    ) throws(PreparationError) -> [Violation] {
        let (most, overrun) = context.known.schemaSteps
        do {
            return try schema.violations(in: value, since: before, stepsMax: most)
        } catch {
            throw overrun
        }
    }
}

extension DocumentSettings {
    /// The schema, if changes of a kind must keep to it.
    fileprivate func schema(guarding kind: Change.Kind) -> JSONSchema? {
        enforcement.guards(kind) ? schema : nil
    }
}

extension Document {
    /// The schema that guards the value that a change leads to.
    fileprivate func schema(after change: Change) -> JSONSchema? {
        if case .create = change.kind, let settings = change.settings {
            return settings.schema(guarding: change.kind)
        }
        return settings.schema(guarding: change.kind)
    }

    /// The schema, if the document only reports violations.
    fileprivate var toldSchema: JSONSchema? {
        settings.enforcement == .warn ? settings.schema : nil
    }

    /// The number of places that break the schema, up to `Violation.countMax`; `nil` if there is no
    /// schema, or if counting takes too long here.
    public var violationCount: Int? {
        try? settings.schema?.violations(in: tree, stepsMax: KnownChanges.schemaStepsMax)
            .count
    }
}

extension Outcome {
    /// The number of places touched by the change that break the schema, if the document only
    /// reports violations.
    public var violationCount: Int? {
        guard let schema = withDocument({ $0.toldSchema }) else { return nil }
        let known: JSON? = isCreated ? nil : before
        return try? schema.violations(
            in: tree, since: known, stepsMax: KnownChanges.schemaStepsMax
        ).count
    }
}
