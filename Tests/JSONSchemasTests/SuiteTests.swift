import Foundation
import JSONSchemas
import JSONTree
import Testing

/// The public JSON-Schema-Test-Suite, draft 2020-12, as its authors publish it.
@Suite struct SuiteTests {
    /// Refused schemas: those with references outside themselves, and `$dynamicRef`.
    private static let refused: [String: Set<String>?] = [
        "dynamicRef.json": nil, "refRemote.json": nil, "vocabulary.json": nil,
        "defs.json": ["validate definition against metaschema"],
        "ref.json": ["remote ref, containing refs itself"],
        "unevaluatedItems.json": ["unevaluatedItems with $dynamicRef"],
        "unevaluatedProperties.json": ["unevaluatedProperties with $dynamicRef"],
    ]

    private static let files: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory)
        return (names ?? []).filter { $0.hasSuffix(".json") && refused[$0] != .some(nil) }.sorted()
    }()

    private static let directory = "\(#filePath)".replacing("SuiteTests.swift", with: "Suite")

    @Test(arguments: files)
    func `The public suite agrees`(_ file: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: "\(SuiteTests.directory)/\(file)"))
        for group in try JSON(parsing: Array(bytes)).elements ?? [] {
            let title = group["description"]?.string ?? ""
            let schema: JSONSchema
            if SuiteTests.refused[file]??.contains(title) ?? false {
                #expect(throws: JSONSchema.Fault.self) { try JSONSchema(group["schema"] ?? .null) }
                continue
            }
            do { schema = try JSONSchema(group["schema"] ?? .null) } catch {
                Issue.record("\(title): \(error)")
                continue
            }
            for test in group["tests"]?.elements ?? [] {
                let data = test["data"] ?? .null
                let faults = try schema.violations(in: data, stepsMax: 100_000)
                #expect(
                    faults.isEmpty == test["valid"]?.bool,
                    "\(title): \(test["description"]?.string ?? ""): \(faults)")
            }
        }
    }
}
