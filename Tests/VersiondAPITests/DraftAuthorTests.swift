import JSONTree
import TestSupport
import Testing

/// Rule 20: who made what a merge brings.
@Suite struct DraftAuthorTests {
    /// The authors that blame names, by place.
    private func blame(_ scene: DraftScene, _ name: String = "menu") throws -> [String: String] {
        let found = try scene.succeed("GET", "\(name)/blame")
        let places = found["places"]?.elements ?? []
        return Dictionary(
            uniqueKeysWithValues: places.compactMap { place in
                place["path"]?.string.map { ($0, place["author"]?.string ?? "?") }
            })
    }

    private func authors(_ merged: JSON) -> [String]? {
        merged["origin"]?["change"]?["authors"]?.texts
    }

    @Test func `20: after updates, blame of a merge names who made each edit in the draft`() throws
    {
        let scene = try DraftScene(#"{"a":0,"b":0}"#)
        try scene.edit("menu~ada", #"{"a":1}"#)
        try scene.edit("menu~ada", #"{"b":1}"#, by: "cyd")
        for number in 1...3 {
            try scene.edit("menu", #"{"z\#(number)":1}"#)
            try scene.succeed("POST", "menu~ada/update")
        }
        let merged = try scene.succeed("POST", "menu~ada/merge", "{}", ["Versiond-Actor": "root"])
        #expect(authors(merged) == ["ada", "cyd"])
        let blame = try blame(scene)
        #expect(blame["/a"] == "ada" && blame["/b"] == "cyd")
    }

    @Test func `20: after a part was merged, the rest has its own authors alone`() throws {
        let scene = try DraftScene(#"{"a":0,"b":0}"#)
        try scene.edit("menu~ada", #"{"a":1}"#)
        try scene.edit("menu~ada", #"{"b":1}"#, by: "cyd")
        let part = try scene.succeed("POST", "menu~ada/merge", #"{"paths":["/a"]}"#)
        #expect(authors(part) == ["ada"])
        let rest = try scene.succeed("POST", "menu~ada/merge")
        #expect(authors(rest) == ["cyd"])
        let found = try scene.succeed("GET", "menu/blame?path=/b")
        #expect(found["places"]?.elements?.first?["author"] == "cyd")
    }

    @Test func `20: who was overwritten is no author of a merge`() throws {
        let scene = try DraftScene(#"{"a":0,"b":0}"#)
        try scene.edit("menu~ada", #"{"a":1}"#)
        try scene.edit("menu~ada", #"{"b":2}"#, by: "dan")
        try scene.edit("menu~ada", #"{"a":2}"#, by: "cyd")
        try scene.succeed("PATCH", "menu~ada", #"{"b":0}"#, LocalDaemon.merge.by("ada"))
        let merged = try scene.succeed("POST", "menu~ada/merge")
        #expect(authors(merged) == ["cyd"])
    }

    @Test func `20: who removed or moved something is an author of the merge`() throws {
        let scene = try DraftScene(#"{"a":0,"b":0,"c":0}"#)
        let patch = ["Content-Type": "application/json-patch+json"]
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"remove","path":"/a"}]"#, patch.by("ada"))
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"move","from":"/b","path":"/d"}]"#, patch.by("cyd"))
        #expect(authors(try scene.succeed("POST", "menu~ada/merge")) == ["ada", "cyd"])
    }

    @Test func `20: a value that several made is divided, and is what they made`() throws {
        let scene = try DraftScene(#"{"t":"--"}"#)
        let patch = ["Content-Type": "application/json-patch+json"]
        try scene.edit("menu~ada", #"{"o":{"x":1,"l":[1,2]}}"#)
        try scene.edit("menu~ada", #"{"o":{"y":2}}"#, by: "cyd")
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"add","path":"/o/l/1","value":9}]"#, patch.by("cyd"))
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"str_ins","path":"/t","pos":1,"str":"aaaa"}]"#,
            patch.by("ada"))
        try scene.succeed(
            "PATCH", "menu~ada", #"[{"op":"str_ins","path":"/t","pos":3,"str":"cc"}]"#,
            patch.by("cyd"))
        let value: JSON = ["t": "-aaccaa-", "o": ["x": 1, "l": [1, 9, 2], "y": 2]]
        try scene.edit("menu", #"{"z":1}"#)
        try scene.succeed("POST", "menu~ada/update")
        let merged = try scene.succeed("POST", "menu~ada/merge")
        #expect(authors(merged) == ["ada", "cyd"] && merged["left"] == 0)
        let blame = try blame(scene)
        #expect(blame["/o"] == "ada" && blame["/o/y"] == "cyd" && blame["/o/l/1"] == "cyd")
        let text = try scene.succeed("GET", "menu/blame?path=/t")["places"]?.elements?.first
        let runs = text?["text"]?.elements?.map { run in
            "\(run["count"]?.int ?? 0)\(run["author"]?.string ?? "-")"
        }
        #expect(runs == ["1-", "2ada", "2cyd", "2ada", "1-"])
        #expect(try scene.value("menu")["o"] == value["o"])
        #expect(try scene.value("menu")["t"] == value["t"])
        try scene.succeed("POST", "menu/undo")
        #expect(try scene.value("menu") == ["t": "--", "z": 1])
    }

    @Test func `20: what a draft of a draft brought is by those who made it there`() throws {
        let scene = try DraftScene(#"{"a":0,"b":0}"#)
        try scene.succeed("PUT", "menu~ada~x?copyOf=menu~ada")
        try scene.edit("menu~ada~x", #"{"a":1}"#, by: "eve")
        try scene.edit("menu~ada~x", #"{"b":1}"#, by: "flo")
        try scene.succeed("POST", "menu~ada~x/merge", "{}", ["Versiond-Actor": "ada"])
        let merged = try scene.succeed("POST", "menu~ada/merge", "{}", ["Versiond-Actor": "root"])
        #expect(authors(merged) == ["eve", "flo"])
        let blame = try blame(scene)
        #expect(blame["/a"] == "eve" && blame["/b"] == "flo")
    }
}
