public import Documents
public import JSONTree
import Naming

extension DocumentRules {
    /// The faults of a file of rules, each with its place.
    public struct Fault: Error {
        public let details: [String]
    }

    private static let rule = BodyRule(schema: "Rules")

    /// Reads `{"rules":[{"prefix":"forms/","defaults":{…},"quota":{…}}],"tokens":[…]}`:
    /// defaults as in `PATCH …/settings`. Members that begin with `//` are comments.
    public init(reading json: JSON) throws(Fault) {
        let members = json.members?.filter { !$0.name.hasPrefix("//") }
        let body = members.map { JSON(members: $0) } ?? json
        var faults = DocumentRules.rule.faults(in: body)
        var rules: [Rule] = []
        for (index, rule) in (faults.isEmpty ? body["rules"]?.elements ?? [] : []).enumerated() {
            do throws(BodyFault) {
                rules.append(
                    Rule(
                        prefix: rule["prefix"]?.string ?? "",
                        defaults: try SettingsChange(rule["defaults"] ?? [:]),
                        quota: Quota(rule["quota"]),
                        undoWithin: rule["undo"]?.duration("within"),
                        runs: (rule["runs"]?.elements ?? []).map { RunRule($0) }))
            } catch {
                let place = "/rules/\(index)/defaults\(error.pointer)"
                faults.append(BodyFault(pointer: place, detail: error.detail))
            }
        }
        if Set(rules.map { Array($0.prefix.utf8) }).count < rules.count {
            faults.append(BodyFault(pointer: "/rules", detail: "A prefix has more than one rule."))
        }
        let tokens = body["tokens"]?.elements ?? []
        if !tokens.allSatisfy({ $0.present(["name", "namePrefix"]).count == 1 }) {
            let detail = "Each entry requires either name or namePrefix."
            faults.append(BodyFault(pointer: "/tokens", detail: detail))
        }
        guard faults.isEmpty else { throw Fault(details: faults.map(\.sentence)) }
        self.init(rules, tokens: tokens.map { TokenRule($0) })
    }
}

extension DocumentRules.TokenRule {
    /// `{"name":"ci","quota":{…}}`, or `namePrefix` for each name that begins so.
    fileprivate init(_ json: JSON) {
        let name = json["name"]?.string
        self.init(
            name: name ?? json["namePrefix"]?.string ?? "", isPrefix: name == nil,
            quota: Quota(json["quota"]))
    }
}

extension DocumentRules.RunRule {
    /// `{"below":"agent","quota":{"edits":500,"documents":50}}`.
    fileprivate init(_ json: JSON) {
        self.init(
            below: json.name("below") ?? .nobody, edits: json["quota"]?["edits"]?.int,
            documents: json["quota"]?["documents"]?.int)
    }
}

extension Quota {
    /// The limits in total and per day. A token has no total.
    fileprivate init(_ json: JSON?) {
        self.init()
        documents = json?["documents"]?.int
        bytes = json?["bytes"]?.int
        changesPerDay = json?["changesPerDay"]?.int
        documentsPerDay = json?["documentsPerDay"]?.int
        bytesPerDay = json?["bytesPerDay"]?.int
    }
}
