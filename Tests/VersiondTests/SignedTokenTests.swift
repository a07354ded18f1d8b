import Foundation
import JSONTree
import TestSupport
import Testing

/// Tokens of an external issuer, with the real daemon, in an operator's setup.
@Suite struct SignedTokenTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var tokens: String { directory.path + "/tokens.json" }

    private func run(_ arguments: String..., status: Int32 = 0) throws -> String {
        let ran = try DaemonProcess.run(["token"] + arguments + ["--file", tokens])
        #expect(ran.status == status, "\(arguments): \(ran.output)")
        return ran.output
    }

    private func bash(_ script: String) throws -> String {
        let ran = try DaemonProcess.bash("set -e; cd \(directory.path); \(script)")
        #expect(ran.status == 0, "\(script): \(ran.output)")
        return ran.output
    }

    private func daemon() throws -> DaemonProcess {
        try DaemonProcess(directory: directory.path + "/data", ["--tokens", tokens])
    }

    private func status(
        _ client: RawConnection, _ token: String, _ path: String = "/v1/whoami"
    ) throws -> Int {
        try client.request("GET", path, ["Authorization": "Bearer \(token)"]).status
    }

    private static var now: Int { Int(Date().timeIntervalSince1970) }

    private func claims(_ subject: String, _ more: String = "") -> String {
        let now = SignedTokenTests.now
        return #"{"iss":"shop","sub":"\#(subject)","iat":\#(now),"exp":\#(now + 600)\#(more)}"#
    }

    /// `key`: how openssl makes it; `sign`: how it signs `signed` into `signature`.
    static let ways: [(algorithm: String, key: String, sign: String)] = [
        ("RS256", "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", "dgst -sha256 -sign"),
        ("ES256", "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", "dgst -sha256 -sign"),
        ("EdDSA", "genpkey -algorithm ed25519", "pkeyutl -sign -rawin -inkey"),
    ]

    @Test(arguments: ways)
    func `a token that openssl signs counts, for its issuer alone`(
        way: (algorithm: String, key: String, sign: String)
    ) throws {
        for name in ["shop", "other"] {
            _ = try bash(
                "openssl \(way.key) -out \(name).key; openssl pkey -in \(name).key -pubout -out \(name).pub"
            )
        }
        _ = try run(
            "issuer", "add", "--name", "shop", "--algorithm", way.algorithm, "--key",
            directory.path + "/shop.pub")
        #expect(try run("list").contains("shop\tread,write\t*\tsigns with \(way.algorithm)"))
        func token(_ key: String) throws -> String {
            let header = TokenSigning.letters(#"{"alg":"\#(way.algorithm)"}"#)
            let signed = header + "." + TokenSigning.letters(claims("ada"))
            try Data(signed.utf8).write(to: URL(filePath: directory.path + "/signed"))
            let input = way.algorithm == "EdDSA" ? "-in signed" : "signed"
            _ = try bash("openssl \(way.sign) \(key).key -out signature \(input)")
            var bytes = Array(try Data(contentsOf: URL(filePath: directory.path + "/signature")))
            if way.algorithm == "ES256" { bytes = try SignedTokenTests.numbers(ofDER: bytes) }
            return signed + "." + TokenSigning.letters(bytes)
        }
        let daemon = try daemon()
        let client = try daemon.connect()
        #expect(try status(client, try token("shop")) == 200)
        #expect(try status(client, try token("other")) == 401)
        #expect(daemon.terminate() == 0)
    }

    /// Two numbers of 32 bytes, as RFC 7518 demands, from the output of openssl.
    private static func numbers(ofDER bytes: [UInt8]) throws -> [UInt8] {
        let first = Array(bytes[4..<(4 + Int(bytes[3]))])
        let second = Array(bytes[(6 + first.count)...])
        return [first, second].flatMap { number in
            let digits = Array(number.drop { $0 == 0 })
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }

    @Test func `issuers come and go, keys are exchanged and tokens revoked while it runs`() throws {
        let (shop, next) = (TokenSigning(), TokenSigning(secret: String(repeating: "n", count: 40)))
        let key = directory.path + "/shop.key"
        func write(_ signing: TokenSigning) throws {
            try Data(signing.secret + [0x0a]).write(to: URL(filePath: key))
        }
        try write(shop)
        _ = try run("create", "--name", "root", "--allow", "admin")
        let daemon = try daemon()
        let client = try daemon.connect()
        let ada = shop.token(claims("ada", #","jti":"1""#))
        #expect(try status(client, ada) == 401)
        _ = try run(
            "issuer", "add", "--name", "shop", "--algorithm", "HS256", "--key", key, "--max-age",
            "1h")
        daemon.signal(SIGHUP)
        try until { try status(client, ada) == 200 }
        #expect(daemon.log.contains("shop.key; run chmod 600"), "it is a secret")
        _ = try run("revoke", "--jti", "1")
        daemon.signal(SIGHUP)
        try until { try status(client, ada) == 401 }
        let later = shop.token(claims("ada", #","jti":"2""#))
        #expect(try status(client, later) == 200)
        _ = try run("revoke", "--subject", "ada")
        daemon.signal(SIGHUP)
        try until { try status(client, later) == 401 }
        let bob = shop.token(claims("bob"))
        #expect(try status(client, bob) == 200)
        // A key is exchanged in its file.
        try write(next)
        daemon.signal(SIGHUP)
        try until { try status(client, bob) == 401 }
        #expect(try status(client, next.token(claims("bob"))) == 200)
        // One that cannot be used changes nothing.
        try Data("short\n".utf8).write(to: URL(filePath: key))
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("the previous keys of shop stay in force") }
        #expect(daemon.log.contains("must have a secret of at least 32 bytes"))
        #expect(try status(client, next.token(claims("bob"))) == 200)
        // A revocation applies at once.
        _ = try run("revoke", "--subject", "bob")
        daemon.signal(SIGHUP)
        try until { try status(client, next.token(claims("bob"))) == 401 }
        try write(shop)
        _ = try run("issuer", "remove", "shop")
        daemon.signal(SIGHUP)
        try until { daemon.log.contains("revoked tokens name the unknown issuer shop") }
        #expect(try status(client, shop.token(claims("cid"))) == 401)
        // Added again, with the first key: revoked tokens stay revoked.
        _ = try run("issuer", "add", "--name", "shop", "--algorithm", "HS256", "--key", key)
        daemon.signal(SIGHUP)
        try until { try status(client, shop.token(claims("cid"))) == 200 }
        #expect(try status(client, ada) == 401)
        #expect(daemon.terminate() == 0)
    }

    @Test func `who is revoked is the one that logs show, in these letters, and all of it`() throws
    {
        let key = directory.path + "/shop.key"
        try Data(TokenSigning().secret).write(to: URL(filePath: key))
        _ = try run(
            "issuer", "add", "--name", "shop", "--algorithm", "HS256", "--key", key,
            "--actor-prefix")
        for name in ["caf\u{e9}", "cafe\u{301}", "shop:eve"] {
            _ = try run("revoke", "--subject", name)
        }
        let daemon = try daemon()
        let client = try daemon.connect()
        func worth(_ subject: String, iat: Int) throws -> Int {
            let exp = SignedTokenTests.now + 600
            return try status(
                client,
                TokenSigning().token(
                    #"{"iss":"shop","sub":"\#(subject)","iat":\#(iat),"exp":\#(exp)}"#))
        }
        let now = SignedTokenTests.now
        for subject in ["caf\u{e9}", "cafe\u{301}", "eve"] {
            #expect(try worth(subject, iat: now - 5) == 401, "\(subject)")
            // By a clock that is fast.
            #expect(try worth(subject, iat: now + 20) == 401, "\(subject)")
        }
        #expect(try worth("ada", iat: now + 20) == 200)
        #expect(daemon.terminate() == 0)
    }

    @Test func `a token of an authorization server does no more than its scope`() throws {
        let key = directory.path + "/shop.key"
        try Data(TokenSigning().secret).write(to: URL(filePath: key))
        _ = try run(
            "issuer", "add", "--name", "shop", "--algorithm", "HS256", "--key", key, "--scopes",
            "--audience", "https://undo.example/mcp")
        let daemon = try daemon()
        let client = try daemon.connect()
        func write(_ scope: String, to audience: String) throws -> Answer {
            let token = TokenSigning().token(
                #"{"iss":"shop","sub":"ada","aud":"\#(audience)","scope":"\#(scope)","#
                    + #""exp":\#(SignedTokenTests.now + 600)}"#)
            return try client.request(
                "PUT", "/v1/documents/menu",
                ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                body: "{}")
        }
        #expect(try write("openid write", to: "https://undo.example/mcp").status == 201)
        let refused = try write("read", to: "https://undo.example/mcp")
        #expect(refused.status == 403 && "\(refused.fields)".contains("insufficient_scope"))
        #expect(try write("write", to: "https://mail.example").status == 401)
        #expect(daemon.terminate() == 0)
    }

    @Test func `what is said wrong of an issuer changes nothing, and is told`() throws {
        let key = directory.path + "/shop.key"
        try Data(TokenSigning().secret).write(to: URL(filePath: key))
        func add(_ more: String...) throws -> String {
            let ran = try DaemonProcess.run(
                ["token", "issuer", "add", "--file", tokens, "--name", "shop"] + more)
            #expect(ran.status == 64, "\(more)")
            return ran.output
        }
        #expect(try add("--algorithm", "HS512", "--key", key).contains("HS256, RS256"))
        #expect(try add("--algorithm", "none", "--key", key).contains("unknown algorithm none"))
        #expect(try add("--algorithm", "HS256").contains("--jwks"))
        #expect(try add("--algorithm", "HS256", "--key", key, "--jwks", key).contains("--jwks"))
        #expect(try add("--algorithm", "ES256", "--key", key).contains("PEM"))
        #expect(try add("--algorithm", "RS256", "--jwks", key).contains("not a JWKS"))
        #expect(try add("--algorithm", "HS256", "--key", key + "x").contains("cannot read"))
        for age in ["x", "1e300d"] {
            let told = try add("--algorithm", "HS256", "--key", key, "--max-age", age)
            #expect(told.contains("not a duration"))
        }
        #expect(
            try add("--algorithm", "HS256", "--key", key, "--name", "a:b", "--actor-prefix")
                .contains("must not have : or /"))
        #expect(
            try add("--algorithm", "HS256", "--key", key, "--scopes").contains("requires audience"))
        // The public key is public.
        _ = try bash("openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out shop.pub")
        #expect(
            try add("--algorithm", "HS256", "--key", directory.path + "/shop.pub")
                .contains("instead of a public key"))
        #expect(!FileManager.default.fileExists(atPath: tokens))
        try Data("{\"issuers\":[]}".utf8).write(to: URL(filePath: tokens))
        #expect(try run("revoke", "--jti", "1", status: 64).contains("--issuer"))
        #expect(
            try run("revoke", "--issuer", "x", "--jti", "1", status: 64).contains(
                "the issuer x does not exist"))
    }

    @Test func `an application of 80 lines has 1,000 users, each with what is theirs`() throws {
        let snippet = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Snippets/users/server.py")
        _ = try bash("openssl rand -hex 32 > notes.key; chmod 600 notes.key")
        _ = try run(
            "issuer", "add", "--name", "notes", "--algorithm", "HS256", "--key",
            directory.path + "/notes.key", "--prefix", "notes/", "--max-age", "10m")
        let daemon = try daemon()
        let client = try daemon.connect()
        // The application's own function signs, 1,000 times.
        let tokens = try bash(
            """
            NOTES_KEY=notes.key python3 - <<'END'
            source = open("\(snippet.path)").read().rsplit("http.server.Threading", 1)[0]
            exec(compile(source, "server.py", "exec"))
            for user in range(1000): print(token(f"user-{user}"))
            END
            """
        ).split(separator: "\n").map(String.init)
        #expect(tokens.count == 1_000)
        for (user, token) in tokens.enumerated() {
            let fields = [
                "Authorization": "Bearer \(token)", "Content-Type": "application/json",
            ]
            func put(_ name: String) throws -> (status: Int, actor: String?) {
                let path = "/v1/documents/notes%2F" + name
                let answer = try client.request("PUT", path, fields, body: "\(user)")
                return (answer.status, try JSON(parsing: answer.text)["change"]?["actor"]?.string)
            }
            let own = try put("user-\(user)%2Fnote")
            #expect(own.status == 201 && own.actor == "user-\(user)")
            #expect(try put("user-\((user + 1) % 1_000)%2Fnote").status == 403)
            #expect(try put("all").status == (user == 0 ? 201 : 200))
            let undo = "/v1/documents/notes%2Fall/undo"
            let taken = try client.request("POST", undo, fields, body: #"{"actor":"user-7"}"#)
            #expect((taken.status == 200) == (user == 7), "\(user): \(taken.text)")
        }
        #expect(daemon.terminate() == 0)
    }
}
