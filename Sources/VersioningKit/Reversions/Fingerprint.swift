/// The content of a value's tracked part in one number, for this process.
enum Fingerprint {
    static func of<Root>(_ value: Root) -> Int {
        var hasher = Hasher()
        combine(value, into: &hasher)
        return hasher.finalize()
    }

    static func combine<Value>(_ value: Value, into hasher: inout Hasher) {
        if let versionable = value as? any Versionable {
            combineTracked(versionable, into: &hasher)
        } else if let collection = value as? any TrackedParts {
            collection.combineTracked(into: &hasher)
        } else if let hashable = value as? any Hashable {
            hashable.hash(into: &hasher)
        }
    }

    private static func combineTracked<Value: Versionable>(
        _ value: Value, into hasher: inout Hasher
    ) {
        var reverter = FingerprintReverter(value: value)
        value.addReversions(into: &reverter)
        hasher.combine(Identity.of(value))
        hasher.combine(reverter.digest.hasher.finalize())
    }
}

/// The identity of a value, if its type declares one.
enum Identity {
    static func of<Value>(_ value: Value) -> AnyHashable? {
        func identity(_ value: some Identifiable) -> AnyHashable { AnyHashable(value.id) }
        return (value as? any Identifiable).map { identity($0) }
    }
}

/// A container whose parts may have properties that are not tracked.
private protocol TrackedParts {
    func combineTracked(into hasher: inout Hasher)
}

extension Array: TrackedParts {
    fileprivate func combineTracked(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { Fingerprint.combine(element, into: &hasher) }
    }
}

extension Optional: TrackedParts {
    fileprivate func combineTracked(into hasher: inout Hasher) {
        hasher.combine(self != nil)
        if let self { Fingerprint.combine(self, into: &hasher) }
    }
}

extension Dictionary: TrackedParts {
    fileprivate func combineTracked(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(key)
            Fingerprint.combine(value, into: &member)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}

/// Feeds the tracked properties of one value to a hasher.
private struct FingerprintReverter<Root>: Reverter {
    /// Shared by copies: a question changes nothing but this.
    final class Digest {
        var hasher = Hasher()
    }

    let value: Root
    let digest = Digest()

    /// An unchecked value counts as unchanged, so that an `enum` names only the parts of its
    /// present case; requested parts do count.
    func hasChanged<Value: Equatable>(at keyPath: KeyPath<Root, Value>) -> Bool {
        combine(keyPath)
        return false
    }

    mutating func append<Value>(
        at keyPath: WritableKeyPath<Root, Value>,
        comparing compare: (Value, Value) -> Reversion<Value>?
    ) {
        combine(keyPath)
    }

    private func combine<Value>(_ keyPath: KeyPath<Root, Value>) {
        if keyPath == \Root.self {
            // The value itself, as a whole: looking for its tracked parts would lead here again.
            (value as? any Hashable)?.hash(into: &digest.hasher)
        } else {
            Fingerprint.combine(value[keyPath: keyPath], into: &digest.hasher)
        }
    }
}
