import SwiftSyntax

/// One property of a declaration.
struct Property {
    let name: String
    let declaration: VariableDeclSyntax
    private let binding: PatternBindingSyntax

    /// All properties, one for each name: `var a, b` declares two.
    static func all(in members: MemberBlockItemListSyntax) -> [Property] {
        members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.flatMap { declaration in
            declaration.bindings.compactMap { binding in
                guard let name = binding.pattern.as(IdentifierPatternSyntax.self) else {
                    return nil
                }
                return Property(
                    name: name.identifier.trimmedDescription, declaration: declaration,
                    binding: binding)
            }
        }
    }

    var isConstant: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.let) }

    var isStatic: Bool {
        declaration.modifiers.contains {
            $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
        }
    }

    /// Whether it has no storage of its own; observers do not count.
    var isComputed: Bool {
        switch binding.accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors): accessors.contains { !$0.isObserver }
        }
    }

    /// Whether it is computed, and cannot be set.
    var isReadOnly: Bool {
        guard isComputed else { return false }
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return true }
        let setters: Set<TokenKind> = [.keyword(.set), .keyword(._modify)]
        return !accessors.contains { setters.contains($0.accessorSpecifier.tokenKind) }
    }

    func hasAttribute(_ names: Set<String>) -> Bool {
        declaration.attributes.contains { attribute in
            guard case .attribute(let attribute) = attribute else { return false }
            let name = attribute.attributeName.trimmedDescription
            return names.contains(name.split(separator: ".").last.map(String.init) ?? name)
        }
    }

    /// The type as it is written, if it is.
    var type: String? { binding.typeAnnotation?.type.trimmedDescription }

    /// The access of the getter: `public`, `private` and so on, or nothing.
    var access: String { declaration.modifiers.access }
}

extension AccessorDeclSyntax {
    fileprivate var isObserver: Bool {
        [.keyword(.willSet), .keyword(.didSet)].contains(accessorSpecifier.tokenKind)
    }
}

extension DeclModifierListSyntax {
    /// The access level with a space after it, or nothing. A declaration that is `open` gives
    /// `public` members.
    var access: String {
        let levels: [Keyword: String] = [
            .open: "public ", .public: "public ", .package: "package ",
            .fileprivate: "fileprivate ", .private: "private ", .internal: "",
        ]
        for modifier in self where modifier.detail == nil {
            if case .keyword(let keyword) = modifier.name.tokenKind, let level = levels[keyword] {
                return level
            }
        }
        return ""
    }
}
