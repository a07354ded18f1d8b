import Documents
import HTTPServing
import Naming
import Testing

@testable import VersiondAPI

/// The content of a request, as values: without a socket.
@Suite struct ReadingTests {
    @Test(arguments: [
        ("head", StateAddress.head), ("0", .revision(0)), ("12", .revision(12)),
        ("version:3", .version(3)), ("tag:draft", .tag(Name("draft"))),
        ("tag:7", .tag(Name("7"))), ("tag:", .tag(Name(""))),
        ("snapshot:a:b", .snapshot(Name("a:b"))),
        ("1970-01-01T00:00:01Z", .time(Timestamp(milliseconds: 1_000))),
    ])
    func `an address is read as it is written`(text: String, address: StateAddress) throws {
        #expect(try Address(text, named: "at") == .state(address))
    }

    @Test(arguments: [
        ("cursor:0", Address.position(0)), ("cursor:981", .position(981)),
        ("restore-point:menus/a:b", .restorePoint(Name("menus/a:b"))),
    ])
    func `a position is read as it is written`(text: String, address: Address) throws {
        #expect(try Address(text, named: "at") == address)
        #expect(address.isRevision && address.isCommon)
    }

    @Test(arguments: [
        "", "07", "-1", "HEAD", "version:x", "version:", "lunch", "2026-01-31", "1.0",
        "cursor:", "cursor:x", "cursor:9007199254740993",
    ])
    func `what is no address is refused, with those that there are`(text: String) {
        let problem = #expect(throws: Problem.self) { try Address(text, named: "at") }
        #expect(problem?.detail.contains("at must be a revision, version:N, tag:NAME") == true)
    }

    @Test(arguments: [
        (#""7""#, [7]), (#""7","9""#, [7, 9]), (#"W/"7" , "9-gzip""#, [7, 9]), (#""07""#, []),
        (#""a,b", "1""#, [1]), ("", []), (#", ,"3","#, [3]),
    ])
    func `entity tags are revisions in quotes`(text: String, revisions: [Int]) throws {
        #expect(try #require(EntityTag.list(text)).compactMap(\.revision) == revisions)
    }

    @Test(arguments: ["7", #""7"#, #""7" "8""#, #"w/"7""#, "'7'"])
    func `what is no list of entity tags is none`(text: String) {
        #expect(EntityTag.list(text) == nil)
    }

    @Test(arguments: [
        ("0", 0), ("500ms", 500), ("2s", 2_000), ("1.5m", 90_000), ("1h", 3_600_000),
        ("2d", 172_800_000),
    ])
    func `a duration is a number and a unit`(text: String, milliseconds: Int) throws {
        #expect(try #require(HumanDuration.parse(text)).milliseconds == milliseconds)
        let again = HumanDuration.text(.milliseconds(milliseconds))
        #expect(HumanDuration.parse(again)?.milliseconds == milliseconds)
    }

    @Test(arguments: ["", "5", "s", "-1s", "1e3s", "1 s", "1w", "9999999999s"])
    func `what is no duration is none`(text: String) {
        #expect(HumanDuration.parse(text) == nil)
    }

    @Test(arguments: [
        ("Name", "", false), ("Name", "a", true), ("Flag", "", true), ("Flag", "yes", false),
        ("Limit", "0", false), ("Limit", "1000", true), ("Limit", "+5", true),
        ("Position", "-1", true), ("Position", "-2", false), ("ChangeKind", "undo", true),
        ("Pointer", "anything", true),
    ])
    func `a rule is what the schema demands`(schema: String, value: String, isGood: Bool) {
        let rule = ParameterRule(schema: schema, meaning: "What it is for.")
        do throws(Problem) {
            try rule.check(value, of: "x")
            #expect(isGood)
        } catch {
            #expect(!isGood && error.hint == "What it is for.")
        }
    }

    @Test func `every path of the table leads to its own row`() throws {
        for endpoint in Endpoint.all {
            let segments = endpoint.template.split(separator: "/").map { part in
                part == "{client}" ? "client-1" : part.hasPrefix("{") ? "1" : String(part)
            }
            let match = try Endpoint.router.match(segments)
            #expect(match.path.endpoint(endpoint.method) === endpoint, "\(endpoint.template)")
            #expect((match.document != nil) == endpoint.isAboutDocument, "\(endpoint.template)")
        }
    }

    @Test(arguments: [
        ["v1", "nothing"], ["v1", "documents", "a", "b"], ["v2"],
        ["v1", "documents", "a", "tags", "t", "x"],
    ])
    func `a path that is not in the table is unknown`(segments: [String]) {
        let problem = #expect(throws: Problem.self) { try Endpoint.router.match(segments) }
        #expect(problem?.kind.code == "unknown-route")
    }
}
