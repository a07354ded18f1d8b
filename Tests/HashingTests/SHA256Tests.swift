import Hashing
import Testing

/// The examples of FIPS 180 and of NIST's test vectors.
@Suite struct SHA256Tests {
    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static let examples = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                + "lmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]

    @Test(arguments: examples)
    func `the examples of FIPS 180`(text: String, digest: String) {
        #expect(hexadecimal(SHA256.hash(Array(text.utf8))) == digest)
    }

    @Test func `a million letters, in pieces of every size`() {
        var hash = SHA256()
        var (left, piece) = (1_000_000, 1)
        while left > 0 {
            let count = min(left, piece)
            hash.update(Array(repeating: 0x61, count: count))
            (left, piece) = (left - count, piece + 7)
        }
        #expect(
            hexadecimal(hash.finalize().bytes)
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
