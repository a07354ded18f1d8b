extension String {
    /// With what a terminal would obey, or what turns the direction of a text, made visible: names
    /// and labels are other people's.
    var visible: String {
        guard unicodeScalars.contains(where: \.isObeyed) else { return self }
        return unicodeScalars.map { $0.isObeyed ? $0.escaped(asASCII: true) : String($0) }.joined()
    }
}

extension Unicode.Scalar {
    fileprivate var isObeyed: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Joiners of some scripts and emoji are also format characters.
        case .format: !(0x200c...0x200d).contains(value)
        default: false
        }
    }
}
