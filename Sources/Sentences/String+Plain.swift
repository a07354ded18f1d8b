extension String {
    /// The text in a form that is safe in a sentence: without characters that control a terminal,
    /// end a line, change the direction of the text around it or are invisible. Joiners of emoji
    /// and of letters stay where they join something.
    public var plain: String {
        // Most texts are plain ASCII.
        if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return self }
        var filter = PlainFilter()
        var plain = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let scalar = filter.next(scalar) { plain.append(scalar) }
        }
        return String(plain)
    }
}

/// Decides scalar by scalar what of a text is shown.
private struct PlainFilter {
    /// The kind of the last character.
    private enum Last {
        case nothing, visible, selector, joiner, flag
    }

    private var last = Last.nothing
    /// Joiners and marks in a row.
    private var joiners = 0
    private var marks = 0

    /// The longest emoji sequences of Unicode have three joiners.
    private static let joinersMax = 4
    /// No script has as many marks on one letter.
    private static let marksMax = 8
    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    /// The scalar that is shown for one; `nil` if none is.
    mutating func next(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        // Zero width non-joiner and joiner.
        case 0x200c...0x200d: return join(scalar)
        // Variation selectors: of emoji and ideographs.
        case 0xfe00...0xfe0f, 0xe0100...0xe01ef: return select(scalar)
        // Letters of a flag of a region.
        case 0xe0020...0xe007f: return last == .flag ? scalar : nil
        // Marks of annotations.
        case 0xfff9...0xfffb: return nil
        default: return show(scalar)
        }
    }

    private mutating func join(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard last != .nothing, last != .joiner, joiners < PlainFilter.joinersMax else {
            return nil
        }
        (last, joiners) = (.joiner, joiners + 1)
        return scalar
    }

    private mutating func select(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard last == .visible else { return nil }
        last = .selector
        return scalar
    }

    private mutating func show(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint { return nil }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark:
            marks += 1
            guard marks <= PlainFilter.marksMax else { return nil }
            if last == .nothing { last = .visible }
            return scalar
        case .control, .lineSeparator, .paragraphSeparator:
            begin(.nothing)
            return properties.isWhitespace ? " " : PlainFilter.replacement
        default:
            // A black flag begins a flag of a region.
            begin(properties.isWhitespace ? .nothing : scalar.value == 0x1f3f4 ? .flag : .visible)
            return scalar
        }
    }

    private mutating func begin(_ next: Last) {
        if last != .joiner { joiners = 0 }
        (last, marks) = (next, 0)
    }
}
