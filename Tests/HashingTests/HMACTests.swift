import Hashing
import Testing

@Suite struct HMACTests {
    @Test(arguments: [
        // RFC 4231, cases 1, 2, 3 and 6.
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `authentication is that of RFC 4231`(key: [UInt8], bytes: [UInt8], expected: String) {
        #expect(SHA256.authentication(of: bytes, key: key).hexadecimal == expected)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `base64 is that of RFC 4648`(text: String, letters: String) {
        #expect(Array(text.utf8).base64 == letters)
        #expect([UInt8](base64: letters) == Array(text.utf8))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Zm 9", "Zm9\n", "Zm-_", "=Zg=", "Zh=="])
    func `what is no base64 is none`(letters: String) {
        #expect([UInt8](base64: letters) == nil)
    }

    @Test func `all bytes come back`() {
        let bytes = (0...255).map { UInt8($0) }
        for count in 0...256 {
            #expect([UInt8](base64: Array(bytes[..<count]).base64) == Array(bytes[..<count]))
        }
    }
}
