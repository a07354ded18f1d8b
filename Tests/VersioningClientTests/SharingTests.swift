import HTTPCalling
import JSONTree
import Testing

@testable import VersioningClient

/// The values of a session: lines, pauses, steps of undo, and what responses mean.
@Suite struct SharingTests {
    @Test func `lines are the same, however a stream is cut`() throws {
        let text = Array("{\"a\":1}\n\n{\"b\":2}\r\nlast".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                var reader = LineReader()
                var lines: [[UInt8]] = []
                for part in [text[..<first], text[first..<second], text[second...]] {
                    lines += try reader.take(Array(part))
                }
                #expect(
                    lines.map { String(decoding: $0, as: UTF8.self) }
                        == ["{\"a\":1}", "{\"b\":2}\r"])
            }
        }
    }

    @Test func `a line that is too long ends the stream, also before its end has come`() throws {
        var reader = LineReader(bytesMax: 8)
        let lines = try reader.take(Array("12345678\n".utf8))
        #expect(lines.count == 1)
        #expect(throws: LineReader.TooLong.self) { try reader.take(Array("123456789".utf8)) }
        var other = LineReader(bytesMax: 8)
        #expect(throws: LineReader.TooLong.self) { try other.take(Array("123456789\n".utf8)) }
    }

    @Test func `pauses grow to a limit, and a success makes them short again`() {
        var pause = Pause()
        let taken = (0..<9).map { _ in pause.take(0.5) }
        #expect(taken[0] == .milliseconds(250) && taken[1] == .milliseconds(500))
        #expect(taken[8] == .seconds(15) && taken[7] == .seconds(15))
        pause.reset()
        let short = (pause.take(0), pause.take(1))
        #expect(short == (.milliseconds(125), .milliseconds(750)))
    }

    @Test func `edits without a pause have one name, up to twenty pauses`() {
        var groups = EditGroups(prefix: "k", pause: .seconds(1))
        let first = groups.next(at: .zero)
        let names = [999, 1_999].map { groups.next(at: .milliseconds($0)) }
        #expect(names[0] == first && names[1] != first)
        let long = (0...60).map { groups.next(at: .milliseconds(5_000 + 400 * $0)) }
        #expect(Set(long).count == 2)
        let named = groups.next(at: .seconds(60), group: "g")
        let same = groups.next(at: .seconds(90), group: "g")
        let other = groups.next(at: .seconds(90))
        #expect(same == named && other != named)
        groups.end()
        let next = groups.next(at: .seconds(90))
        #expect(next != other)
    }

    private static let step: PendingStep = {
        var step = PendingStep(1, .edit, on: .null, at: 0, behind: nil, key: "k")
        step.edits = JSON(members: []).steps(
            to: ["a": 1, "b": 2], identityNames: [], origin: 0)
        return step
    }()

    @Test(arguments: [
        (200, #"{"revision":3}"#, ResponseMeaning.done), (200, "welcome", .again),
        (401, #"{"code":"no-token"}"#, .wait), (403, "proxy", .wait),
        (404, "not found", .again), (404, #"{"code":"unknown-document"}"#, .gone),
        (410, #"{"code":"trimmed"}"#, .rebase), (409, #"{"code":"wrong-own"}"#, .rebase),
        (409, #"{"code":"other-request"}"#, .done), (409, #"{"code":"conflict"}"#, .refused),
        (413, "too large", .halve), (422, #"{"code":"invalid"}"#, .halve),
        (429, #"{"code":"too-many"}"#, .again), (503, "", .again),
    ])
    func `a response means one thing for the edits that were sent`(
        status: Int, body: String, meaning: ResponseMeaning
    ) {
        var answer = HTTPAnswer()
        answer.status = status
        answer.body = Array(body.utf8)
        let problem = status < 300 ? nil : DaemonProblem(answer)
        #expect(ResponseMeaning(answer, problem, to: SharingTests.step) == meaning)
        var single = SharingTests.step
        single.edits.removeLast()
        let other: ResponseMeaning = meaning == .halve ? .refused : meaning
        #expect(ResponseMeaning(answer, problem, to: single) == other)
    }

    @Test func `what there is to undo is known from own changes, and asked for after others' undo`()
        throws
    {
        var known = Availability()
        func item(_ text: String) throws -> JSON { try JSON(parsing: text) }
        let own = try item(#"{"revision":2,"change":{"kind":"append","actor":"ada"}}"#)
        var mustAsk = known.receive(own, of: "ada")
        #expect(!mustAsk && known.hasUndo && !known.hasRedo)
        let undo = try item(#"{"revision":3,"change":{"kind":"undo","actor":"bob"}}"#)
        mustAsk = known.receive(undo, of: "ada")
        #expect(mustAsk && known.hasUndo)
        let others = try item(#"{"revision":3,"change":{"kind":"undo","of":"bob"}}"#)
        mustAsk = known.receive(others, of: "ada")
        #expect(!mustAsk)
        let status = try item(
            #"{"revision":3,"own":{"actor":"ada","hasUndo":false,"hasRedo":true}}"#)
        var isNoted = known.note(status, of: "ada")
        #expect(isNoted && !known.hasUndo && known.hasRedo)
        isNoted = known.note(status, of: "bob")
        #expect(!isNoted, "of another actor")
        mustAsk = known.receive(own, of: "ada")
        #expect(!mustAsk && known.hasRedo, "an older one changes nothing")
    }
}
