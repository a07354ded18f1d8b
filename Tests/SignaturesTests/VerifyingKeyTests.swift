import Hashing
import Signatures
import Testing

/// The examples of RFC 7515 (appendix A) and RFC 8037 (appendix A.4).
@Suite struct VerifyingKeyTests {
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
        + "cnVlfQ"

    struct Example: CustomTestStringConvertible {
        let algorithm: SignatureAlgorithm
        let signed: String
        let signature: String
        var testDescription: String { algorithm.rawValue }

        var key: VerifyingKey? {
            func bytes(_ text: String) -> [UInt8] { [UInt8](base64url: text) ?? [] }
            return switch algorithm {
            case .hs256:
                VerifyingKey(
                    secret: bytes(
                        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1"
                            + "Z9CAow"))
            case .rs256:
                VerifyingKey(
                    modulus: bytes(
                        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJ"
                            + "PMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGz"
                            + "jb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg6"
                            + "65xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_"
                            + "h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
                    exponent: bytes("AQAB"))
            case .es256:
                VerifyingKey(
                    x: bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                    y: bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
            case .edDSA:
                VerifyingKey(ed25519: bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
            }
        }
    }

    static let examples = [
        Example(
            algorithm: .hs256,
            signed: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." + claims,
            signature: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
        Example(
            algorithm: .rs256, signed: "eyJhbGciOiJSUzI1NiJ9." + claims,
            signature:
                "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W"
                + "2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkS"
                + "jtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnv"
                + "Wh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"),
        Example(
            algorithm: .es256, signed: "eyJhbGciOiJFUzI1NiJ9." + claims,
            signature:
                "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        Example(
            algorithm: .edDSA,
            signed: "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
            signature:
                "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ]

    @Test(arguments: examples)
    func `a signature counts, and none that differs in a bit, or of other bytes`(
        example: Example
    ) throws {
        let key = try #require(example.key)
        let signed = Array(example.signed.utf8)
        let signature = try #require([UInt8](base64url: example.signature))
        #expect(key.verifies(signature, of: signed))
        for place in signature.indices {
            var wrong = signature
            wrong[place] ^= 1 << UInt8(place % 8)
            #expect(!key.verifies(wrong, of: signed), "byte \(place)")
        }
        for place in signed.indices {
            var wrong = signed
            wrong[place] ^= 1
            #expect(!key.verifies(signature, of: wrong), "byte \(place)")
        }
        for count in [0, 1, 32, 63, 64, 65, 255] where count != signature.count {
            #expect(!key.verifies([UInt8](repeating: 0, count: count), of: signed))
        }
        #expect(!key.verifies([UInt8](repeating: 0, count: signature.count), of: signed))
        #expect(!key.verifies(signature + [0], of: signed))
        #expect(!key.verifies(Array(signature.dropLast()), of: signed))
    }

    @Test(arguments: examples)
    func `a key takes signatures of its own algorithm alone`(example: Example) throws {
        let signature = try #require([UInt8](base64url: example.signature))
        for other in VerifyingKeyTests.examples where other.algorithm != example.algorithm {
            let key = try #require(other.key)
            #expect(!key.verifies(signature, of: Array(example.signed.utf8)))
        }
    }

    @Test func `keys that are none, or too short, are none`() {
        #expect(VerifyingKey(secret: [UInt8](repeating: 7, count: 31)) == nil)
        #expect(VerifyingKey(pem: "", for: .es256) == nil)
        #expect(VerifyingKey(pem: "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END", for: .rs256) == nil)
        #expect(VerifyingKey(modulus: [UInt8](repeating: 0xff, count: 128), exponent: [3]) == nil)
        #expect(VerifyingKey(modulus: [], exponent: []) == nil)
        #expect(VerifyingKey(x: [UInt8](repeating: 1, count: 32), y: [1]) == nil)
        // Not on the curve.
        let ones = [UInt8](repeating: 1, count: 32)
        #expect(VerifyingKey(x: ones, y: ones) == nil)
        #expect(VerifyingKey(ed25519: [1]) == nil)
    }

    @Test(arguments: ["A", "AA=", "A+", "A/", "A A", "AA\n", "AB", "AAAAA"])
    func `letters of an address are read as RFC 7515 wants it`(text: String) {
        #expect([UInt8](base64url: text) == nil)
    }
}
