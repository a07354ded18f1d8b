import Testing

@testable import JSONTree

/// Why a patch is refused: the reason, the operation and the place, for every way to fail.
@Suite struct PatchErrorTests {
    private static let document = #"{"a":{"b":1},"list":[1,2,3],"text":"héllo 😀","n":null}"#

    /// A patch with a first operation that succeeds, so that the number of the second is seen.
    struct Case: Sendable, CustomTestStringConvertible {
        let operation: String
        let reason: JSONPatchError.Reason
        let pointer: String?
        var testDescription: String { operation }

        init(_ operation: String, _ reason: JSONPatchError.Reason, _ pointer: String? = nil) {
            self.operation = operation
            self.reason = reason
            self.pointer = pointer
        }
    }

    static let cases = [
        // Nothing there.
        Case(#"{"op":"remove","path":"/x"}"#, .missing, "/x"),
        Case(#"{"op":"remove","path":"/a/x"}"#, .missing, "/a/x"),
        Case(#"{"op":"replace","path":"/x","value":1}"#, .missing, "/x"),
        Case(#"{"op":"replace","path":"/a/x","value":1}"#, .missing, "/a/x"),
        Case(#"{"op":"test","path":"/x","value":1}"#, .missing, "/x"),
        Case(#"{"op":"move","from":"/x","path":"/y"}"#, .missing, "/x"),
        Case(#"{"op":"copy","from":"/x","path":"/y"}"#, .missing, "/x"),
        Case(#"{"op":"copy","from":"/a/x/y","path":"/y"}"#, .missing, "/a/x/y"),
        // Through a missing container.
        Case(#"{"op":"add","path":"/x/y","value":1}"#, .missing, "/x"),
        Case(#"{"op":"add","path":"/x/y/z","value":1}"#, .missing, "/x"),
        // Through what has no members.
        Case(#"{"op":"add","path":"/text/x","value":1}"#, .noContainer, "/text"),
        Case(#"{"op":"add","path":"/a/b/c","value":1}"#, .noContainer, "/a/b"),
        Case(#"{"op":"add","path":"/n/x","value":1}"#, .noContainer, "/n"),
        // Outside an array.
        Case(#"{"op":"add","path":"/list/4","value":1}"#, .indexOutOfRange, "/list/4"),
        Case(#"{"op":"add","path":"/list/x","value":1}"#, .indexOutOfRange, "/list/x"),
        Case(#"{"op":"add","path":"/list/01","value":1}"#, .indexOutOfRange, "/list/01"),
        Case(#"{"op":"add","path":"/list/-1","value":1}"#, .indexOutOfRange, "/list/-1"),
        Case(#"{"op":"remove","path":"/list/3"}"#, .indexOutOfRange, "/list/3"),
        Case(#"{"op":"remove","path":"/list/-"}"#, .indexOutOfRange, "/list/-"),
        Case(#"{"op":"replace","path":"/list/3","value":1}"#, .indexOutOfRange, "/list/3"),
        Case(#"{"op":"test","path":"/list/3","value":1}"#, .indexOutOfRange, "/list/3"),
        // Tests that fail say what is there.
        Case(#"{"op":"test","path":"/a/b","value":2}"#, .testFailed(found: 1), "/a/b"),
        Case(#"{"op":"test","path":"/a","value":{}}"#, .testFailed(found: ["b": 1]), "/a"),
        Case(#"{"op":"test","path":"/list/0","value":"1"}"#, .testFailed(found: 1), "/list/0"),
        Case(#"{"op":"test","path":"/n","value":false}"#, .testFailed(found: .null), "/n"),
        // Text operations.
        Case(#"{"op":"str_ins","path":"/a","pos":0,"str":"x"}"#, .notAString, "/a"),
        Case(#"{"op":"str_ins","path":"/list/0","pos":0,"str":"x"}"#, .notAString, "/list/0"),
        Case(#"{"op":"str_ins","path":"/text","pos":9,"str":"x"}"#, .textOutOfRange, "/text"),
        Case(#"{"op":"str_ins","path":"/text","pos":7,"str":"x"}"#, .textOutOfRange, "/text"),
        Case(#"{"op":"str_del","path":"/text","pos":0,"len":9}"#, .textOutOfRange, "/text"),
        Case(#"{"op":"str_del","path":"/text","pos":6,"len":1}"#, .textOutOfRange, "/text"),
        Case(#"{"op":"str_del","path":"/text","pos":7,"len":1}"#, .textOutOfRange, "/text"),
    ]

    @Test(arguments: cases)
    func `an operation that fails says why and where, and nothing has changed`(of: Case) throws {
        let tree = try JSON(parsing: PatchErrorTests.document)
        let patch = try JSONPatch(
            JSON(parsing: #"[{"op":"add","path":"/first","value":0},"# + of.operation + "]"))
        do {
            let (after, _) = try tree.applying(patch)
            Issue.record("it led to \(after)")
        } catch {
            #expect(error.operation == 1)
            #expect(PatchErrorTests.isLike(error.reason, of.reason), "\(error.reason)")
            #expect(!error.description.isEmpty && error.pointer != nil)
        }
        #expect(tree.description == PatchErrorTests.document)
    }

    /// Where nothing is, it may be a name or an index that is missing.
    private static func isLike(
        _ found: JSONPatchError.Reason, _ expected: JSONPatchError.Reason
    ) -> Bool {
        switch (found, expected) {
        case (.missing, .indexOutOfRange), (.missing, .noContainer): true
        default: found == expected
        }
    }

    static let impossible = [
        #"{"op":"remove","path":""}"#,
        #"{"op":"move","from":"/a","path":"/a/b"}"#,
        #"{"op":"move","from":"/a","path":"/a/x/y"}"#,
        #"{"op":"move","from":"","path":"/a"}"#,
        #"{"op":"move","from":"/list","path":"/list/0"}"#,
    ]

    @Test(arguments: impossible)
    func `what cannot be done is refused`(operation: String) throws {
        let tree = try JSON(parsing: PatchErrorTests.document)
        let patch = try JSONPatch(JSON(parsing: "[" + operation + "]"))
        do {
            _ = try tree.applying(patch)
            Issue.record("it was done")
        } catch {
            guard case .impossible = error.reason else {
                Issue.record("\(error.reason)")
                return
            }
        }
    }

    @Test func `a pointer has only so many tokens`() throws {
        let most = JSONLimits().tokensMax
        for (count, isRefused) in [(most, false), (most + 1, true), (4_000_000, true)] {
            let path = String(repeating: "/", count: count)
            let json: JSON = [["op": "remove", "path": JSON(path)]]
            do {
                _ = try JSONPatch(json)
                #expect(!isRefused)
            } catch {
                let reason = "\"path\" has more than \(most) tokens"
                #expect(isRefused && error.reason == .malformed(reason))
            }
        }
    }

    static let malformed = [
        #"{}"#,
        #""add""#,
        #"null"#,
        #"{"op":"add","path":"/a","value":1}"#,
        #"[1]"#,
        #"[{}]"#,
        #"[[]]"#,
        #"[{"op":"add"}]"#,
        #"[{"op":"add","path":"/a"}]"#,
        #"[{"op":"add","path":"a","value":1}]"#,
        #"[{"op":"add","path":1,"value":1}]"#,
        #"[{"op":1,"path":"/a","value":1}]"#,
        #"[{"op":"ADD","path":"/a","value":1}]"#,
        #"[{"op":"put","path":"/a","value":1}]"#,
        #"[{"op":"replace","path":"/a"}]"#,
        #"[{"op":"test","path":"/a"}]"#,
        #"[{"op":"remove"}]"#,
        #"[{"op":"remove","path":"/~2"}]"#,
        #"[{"op":"move","path":"/a"}]"#,
        #"[{"op":"move","path":"/a","from":"b"}]"#,
        #"[{"op":"move","path":"/a","from":null}]"#,
        #"[{"op":"copy","path":"/a"}]"#,
        #"[{"op":"copy","from":"/a"}]"#,
        #"[{"op":"str_ins","path":"/a","str":"x"}]"#,
        #"[{"op":"str_ins","path":"/a","pos":0}]"#,
        #"[{"op":"str_ins","path":"/a","pos":-1,"str":"x"}]"#,
        #"[{"op":"str_ins","path":"/a","pos":"0","str":"x"}]"#,
        #"[{"op":"str_ins","path":"/a","pos":0,"str":1}]"#,
        #"[{"op":"str_del","path":"/a","pos":0}]"#,
        #"[{"op":"str_del","path":"/a","pos":0,"len":-1}]"#,
        #"[{"op":"str_del","path":"/a","pos":0.5,"len":1}]"#,
    ]

    @Test(arguments: malformed)
    func `what is no patch is refused before anything is done`(text: String) throws {
        let json = try JSON(parsing: text)
        do {
            _ = try JSONPatch(json)
            Issue.record("it was read")
        } catch {
            guard case .malformed(let sentence) = error.reason else {
                Issue.record("\(error.reason)")
                return
            }
            #expect(!sentence.isEmpty)
            #expect((error.operation != nil) == (json.elements != nil), "which one is to blame")
        }
    }

    @Test func `a patch has a limit on its operations`() throws {
        var limits = JSONLimits.standard
        limits.operationsMax = 3
        let one: JSON = ["op": "add", "path": "/a", "value": 1]
        #expect(
            try JSONPatch(JSON(elements: [one, one, one]), limits: limits).operations.count == 3)
        #expect(throws: JSONPatchError.self) {
            try JSONPatch(JSON(elements: [one, one, one, one]), limits: limits)
        }
    }

    @Test func `a patch cannot make a document too deep or too large`() throws {
        var limits = JSONLimits.standard
        limits.depthMax = 4
        limits.documentBytesMax = 200
        let tree: JSON = ["a": ["b": [:]]]
        let deeper = JSONPatch([.add(JSONPointer(names: ["a", "b", "c"]), [[1]])])
        #expect(throws: JSONPatchError.self) { try tree.applying(deeper, limits: limits) }
        let fits = JSONPatch([.add(JSONPointer(names: ["a", "b", "c"]), [1])])
        #expect(try tree.applying(fits, limits: limits).tree["a"]?["b"]?["c"] == [1])
        let larger = JSONPatch([
            .add(JSONPointer(names: ["t"]), JSON(String(repeating: "x", count: 300)))
        ])
        #expect(throws: JSONPatchError.self) { try tree.applying(larger, limits: limits) }
        var few = limits
        few.valuesMax = 5
        let more = JSONPatch([.add(JSONPointer(names: ["c"]), [1, 2])])
        #expect(throws: JSONPatchError.self) { try tree.applying(more, limits: few) }
        few.valuesMax = 6
        #expect(try tree.applying(more, limits: few).tree.valueCount == 6)
        // Repeated copies of itself also grow.
        let copies = JSONPatch(
            (0..<20).map { .copy(from: .root, to: JSONPointer(names: ["a", "\($0)"])) })
        #expect(throws: JSONPatchError.self) { try tree.applying(copies, limits: limits) }
    }
}
