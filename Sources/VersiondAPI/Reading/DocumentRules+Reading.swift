public import Documents
public import JSONTree

extension DocumentRules {
    /// What is wrong with a file of rules: each fault with its place.
    public struct Fault: Error {
        public let details: [String]
    }

    /// Reads `{"rules":[{"prefix":"forms/","defaults":{…},"quota":{…}}],"tokens":[…]}`:
    /// defaults as in `PATCH …/settings`.
    public init(reading json: JSON) throws(Fault) {
        guard json.kind == .object else { throw Fault(details: ["It must be an object."]) }
        var body = ControlBody(file: json)
        let rules = body.objects("rules", 0...DocumentRules.countMax) { rule in
            let prefix = rule.text("prefix", "the beginning of names, as text")
            if rule.present(["prefix"]).isEmpty { rule.fault("prefix", "prefix is missing.") }
            let defaults = rule.object("defaults") { $0.settings() }
            let quota = rule.object("quota") { $0.quota() }
            return Rule(
                prefix: prefix ?? "", defaults: defaults ?? SettingsChange(),
                quota: quota ?? Quota())
        }
        let tokens = body.objects("tokens", 0...DocumentRules.countMax) { $0.tokenRule() }
        let prefixes = rules.map { Array($0.prefix.utf8) }
        if Set(prefixes).count < prefixes.count {
            body.fault("rules", "Each prefix has one rule.")
        }
        let faults = body.allFaults
        guard faults.isEmpty else { throw Fault(details: faults) }
        self.init(rules, tokens: tokens)
    }
}

extension ControlBody {
    /// `{"name":"ci","quota":{…}}`, or `namePrefix` for each name that begins so.
    fileprivate mutating func tokenRule() -> DocumentRules.TokenRule {
        let (name, prefix) = (text("name", "a token's name"), text("namePrefix", "as text"))
        if (name == nil) == (prefix == nil) {
            fault("name", "Either name or namePrefix says whose quota it is.")
        }
        let quota = object("quota") { $0.quota(isOfToken: true) }
        return .init(name: name ?? prefix ?? "", isPrefix: name == nil, quota: quota ?? Quota())
    }

    /// What may be stored, in total and in a day. A token has no total.
    fileprivate mutating func quota(isOfToken: Bool = false) -> Quota {
        let range = 0...Int.max / 2
        var quota = Quota()
        if !isOfToken {
            quota.documents = number("documents", range)
            quota.bytes = number("bytes", range)
        }
        quota.changesPerDay = number("changesPerDay", range)
        quota.documentsPerDay = number("documentsPerDay", range)
        quota.bytesPerDay = number("bytesPerDay", range)
        return quota
    }
}
