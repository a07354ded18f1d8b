import Foundation
import FuzzTargets
import Testing

/// The inputs that the search guided by coverage has kept: they reach each place that it found.
@Suite struct FuzzCorpusTests {
    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Corpora").path

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `every kept input passes`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let path = FuzzCorpusTests.corpora + "/\(name).hex"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let inputs = text.split(separator: "\n")
        #expect(inputs.count > 3)
        for input in inputs {
            let digits = Array(input.utf8)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
            #expect(target.run(bytes) == nil, "\(input)")
        }
    }
}
