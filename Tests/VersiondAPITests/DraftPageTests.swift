import JSONTree
import TestSupport
import Testing

/// A page of drafts costs about as much as one draft may.
@Suite struct DraftPageTests {
    private static let count = 8
    private static let patch = ["Content-Type": "application/json-patch+json"]

    /// Drafts of which each edited all elements of a list that the origin removed: to compare one
    /// takes the square of their number.
    private func scene(elements: Int) throws -> DraftScene {
        let list = (0..<elements).map { "{\"id\":\($0),\"v\":0}" }.joined(separator: ",")
        let scene = try DraftScene("{\"l\":[\(list)]}")
        let edits = (0..<elements).map {
            "{\"op\":\"replace\",\"path\":\"/l/\($0)/v\",\"value\":1}"
        }.joined(separator: ",")
        for number in 0..<Self.count {
            try scene.succeed("PUT", "menu~d\(number)?copyOf=menu")
            try scene.succeed("PATCH", "menu~d\(number)", "[\(edits)]", Self.patch)
        }
        let removals = (0..<elements).map { _ in "{\"op\":\"remove\",\"path\":\"/l/0\"}" }
        try scene.succeed(
            "PATCH", "menu", "[\(removals.joined(separator: ","))]", Self.patch)
        return scene
    }

    @Test func `20: a page of drafts ends when it has cost as much as one, and goes on`() throws {
        let elements = 400
        let scene = try scene(elements: elements)
        var (names, pages): ([String], Int) = ([], 0)
        var path: String? = "menu/drafts?limit=100"
        while let next = path, pages < 20 {
            let page = try scene.succeed("GET", next)
            for draft in page["drafts"]?.elements ?? [] {
                names.append(draft["document"]?.string ?? "")
                let isFirst = names.last == "menu~ada"
                #expect(draft["conflicts"]?.elements?.count == (isFirst ? 0 : elements))
            }
            #expect(page["drafts"]?.elements?.isEmpty == false, "each page goes on")
            path = page["next"]?.string.map { "menu/drafts?limit=100&cursor=\($0)" }
            pages += 1
        }
        #expect(names == ["menu~ada"] + (0..<Self.count).map { "menu~d\($0)" })
        #expect(pages > 1)
    }
}
