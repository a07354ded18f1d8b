import AccessControl
import Hashing
import Signatures
import TestSupport
import Testing

/// Tokens that an application signs (RFC 7519, RFC 8725).
@Suite struct SignedTokenTests {
    private let time = ManualTime(milliseconds: 1_000_000_000)
    private let shop = TokenSigning()

    private func control(_ issuers: Issuer..., revocations: [Revocation] = []) -> AccessControl {
        AccessControl(list(issuers, revocations)) { [time] in time.now.milliseconds }
    }

    private func list(_ issuers: [Issuer], _ revocations: [Revocation] = []) -> AccessList {
        var list = AccessList()
        for issuer in issuers { list.add(issuer) }
        for revocation in revocations { list.add(revocation) }
        return list
    }

    private func issuer(
        _ name: String = "shop", _ signing: TokenSigning? = nil, rights: Rights = [.read, .write],
        prefix: String = "", rate: Grant.Rate? = nil, ageMax: Int? = nil,
        audience: String? = nil, readsScopes: Bool = false, namesActors: Bool = false
    ) throws -> Issuer {
        let key = try #require(VerifyingKey(secret: (signing ?? shop).secret))
        return Issuer(
            name: name, algorithm: .hs256, keys: [.init(key)], rights: rights, prefix: prefix,
            rate: rate, ageMax: ageMax, audience: audience, readsScopes: readsScopes,
            namesActors: namesActors)
    }

    /// Claims with what every token needs, and more.
    private static func claims(_ more: String = "", exp: String = "1000600") -> String {
        #"{"iss":"shop","sub":"user-17","exp":\#(exp)\#(more.isEmpty ? "" : ","+more)}"#
    }

    private func fault(
        _ token: String, _ control: AccessControl,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> TokenFault? {
        do throws(AccessControl.Refusal) {
            let grant = try control.grant(of: .secret(token))
            Issue.record("granted \(grant)", sourceLocation: sourceLocation)
        } catch {
            if case .badToken(let fault) = error { return fault }
            Issue.record("refused for \(error)", sourceLocation: sourceLocation)
        }
        return nil
    }

    // MARK: Granted

    @Test func `who shows a signed token is its subject, with what claims and issuer share`() throws
    {
        let control = control(try issuer(rights: [.read, .write], prefix: "shop/"))
        func grant(_ wishes: String) throws -> Grant {
            let token = shop.token(SignedTokenTests.claims(#""versiond":\#(wishes)"#))
            let first = try control.grant(of: .secret(token))
            #expect(try control.grant(of: .secret(token)) == first, "kept")
            #expect(first.name == "user-17" && first.expiry == 1_000_630_000)
            return first
        }
        let whole = try grant("{}")
        #expect(whole.rights == [.read, .propose, .write] && whole.reach == Reach(prefix: "shop/"))
        #expect(try grant(#"{"allow":["read"]}"#).rights == .read)
        // `admin` includes those before it, and the issuer gives no more than it has.
        #expect(try grant(#"{"allow":["admin"]}"#).rights == [.read, .propose, .write])
        #expect(try grant(#"{"allow":[]}"#).rights.isEmpty)
        #expect(try grant(#"{"prefix":"shop/a/"}"#).reach == Reach(prefix: "shop/a/"))
        #expect(try grant(#"{"prefix":"sh"}"#).reach == Reach(prefix: "shop/"))
        #expect(try grant(#"{"prefix":"others/"}"#).reach == Reach(prefix: nil))
        let some = try grant(#"{"documents":["shop/cart","others/x"],"prefix":"shop/a/"}"#)
        #expect(some.covers("shop/cart") && some.covers("shop/a/1"))
        #expect(!some.covers("others/x") && !some.covers("shop/cart2") && !some.covers("shop/b"))
        let one = try grant(#"{"documents":["shop/cart"]}"#)
        #expect(one.covers("shop/cart") && !one.covers("shop/a") && one.reach.narrowed("") == nil)
        #expect(try grant(#"{"documents":[]}"#).reach == Reach(prefix: nil))
    }

    @Test func `a token of an issuer with scopes has the rights that its scope names`() throws {
        let control = control(
            try issuer(rights: [.read, .propose, .write], audience: "here", readsScopes: true))
        func token(_ more: String) -> String {
            shop.token(SignedTokenTests.claims(#""aud":"here""# + more))
        }
        func rights(_ more: String) throws -> Rights {
            try control.grant(of: .secret(token(more))).rights
        }
        #expect(try rights(#","scope":"openid read""#) == .read)
        #expect(try rights(#","scope":"write profile""#) == [.read, .propose, .write])
        #expect(try rights(#","scope":"admin""#) == [.read, .propose, .write])
        #expect(try rights(#","scope":"openid""#).isEmpty && rights(#","scope":"""#).isEmpty)
        #expect(try rights(#","scope":"write","versiond":{"allow":["read"]}"#) == .read)
        for wrong in ["", #","scope":["write"]"#] {
            #expect(fault(token(wrong), control) == .badClaims("scope is missing, or not a string"))
        }
        // Another issuer's tokens may have a claim of this name.
        let other = self.control(try issuer(rights: [.read, .write], audience: "here"))
        let grant = try other.grant(of: .secret(token(#","scope":"read""#)))
        #expect(grant.rights == [.read, .propose, .write])
    }

    @Test func `of several keys with one name, the one that signed counts`() throws {
        let (old, new) = (shop, TokenSigning(secret: "another key of the application, 40 bytes"))
        let other = TokenSigning(secret: "a key that the application does not have")
        func issuer(_ named: [(String?, TokenSigning)]) throws -> Issuer {
            let keys = try named.map { id, signing in
                Issuer.Key(id: id, try #require(VerifyingKey(secret: signing.secret)))
            }
            return Issuer(name: "shop", algorithm: .hs256, keys: keys, rights: .read)
        }
        let header = #"{"alg":"HS256","kid":"k"}"#
        let tokens = [old, new].map { $0.token(SignedTokenTests.claims(), header: header) }
        for keys: [(String?, TokenSigning)] in [
            [("k", old), ("k", new)], [("k", new), ("k", old)], [(nil, old), (nil, new)],
            [("x", other), ("k", old), ("k", new)],
        ] {
            let control = control(try issuer(keys))
            for token in tokens {
                #expect(try control.grant(of: .secret(token)).name == "user-17")
                // The grant is cached, and computed again for another list.
                control.replace(with: list([try issuer(keys.reversed())]))
                #expect(try control.grant(of: .secret(token)).name == "user-17")
            }
            let foreign = other.token(SignedTokenTests.claims(), header: header)
            #expect(fault(foreign, control) == .badSignature)
            control.replace(with: list([try issuer([("k", new)])]))
            #expect(fault(tokens[0], control) == .badSignature, "its key is gone")
            #expect(try control.grant(of: .secret(tokens[1])).name == "user-17")
        }
        // A name that one key has is not another one's without a name.
        let named = control(try issuer([("k", old), (nil, new)]))
        #expect(fault(tokens[1], named) == .badSignature)
    }

    @Test func `names of documents compare as bytes`() throws {
        let control = control(try issuer())
        let composed = #""versiond":{"documents":["caf\u00e9"]}"#
        let grant = try control.grant(of: .secret(shop.token(SignedTokenTests.claims(composed))))
        #expect(grant.covers("caf\u{e9}") && !grant.covers("cafe\u{301}"))
    }

    @Test func `the stricter rate counts`() throws {
        let slow = Grant.Rate(requests: 5, seconds: 10)
        // Slower, and as many at once as the issuer lets through.
        let wishes = [
            ("50/10s", slow), ("1/10s", Grant.Rate(requests: 1, seconds: 10)),
            ("40000/86400s", Grant.Rate(requests: 5, seconds: 11)),
            ("2/1s", Grant.Rate(requests: 2, seconds: 4)),
        ]
        let control = control(try issuer(rate: slow))
        for (wish, expected) in wishes {
            let claims = SignedTokenTests.claims(#""versiond":{"rate":"\#(wish)"}"#)
            #expect(try control.grant(of: .secret(shop.token(claims))).rate == expected)
        }
        #expect(try control.grant(of: .secret(shop.token(SignedTokenTests.claims()))).rate == slow)
    }

    @Test func `actors of two issuers do not meet, if one has its name before them`() throws {
        let other = TokenSigning(secret: "another application's secret of 40 bytes")
        let control = control(try issuer(), try issuer("blog", other, namesActors: true))
        let blog = #"{"iss":"blog","sub":"user-17","exp":1000600}"#
        #expect(try control.grant(of: .secret(other.token(blog))).name == "blog:user-17")
        // No other issuer may use the names of its users; and a slash in a subject makes no family.
        let foreign = #"{"iss":"shop","sub":"blog:user-17","exp":1000600}"#
        guard case .badClaims = fault(shop.token(foreign), control) else {
            Issue.record("it is the blog's user")
            return
        }
        let slashes = #"{"iss":"blog","sub":"user-17/a%","exp":1000600}"#
        let name = try control.grant(of: .secret(other.token(slashes))).name
        #expect(name == "blog:user-17%2Fa%25")
        // An issuer's key does not sign for the other one.
        #expect(fault(shop.token(blog), control) == .badSignature)
        #expect(fault(other.token(SignedTokenTests.claims()), control) == .badSignature)
    }

    @Test func `a token that names no issuer is the only one's`() throws {
        let token = shop.token(#"{"sub":"a","exp":1000600}"#)
        let alone = control(try issuer())
        #expect(try alone.grant(of: .secret(token)).name == "a")
        let two = control(try issuer(), try issuer("blog"))
        #expect(fault(token, two) == .unknownIssuer(nil))
        #expect(
            fault(shop.token(#"{"iss":"x","sub":"a","exp":1000600}"#), alone)
                == .unknownIssuer("x"))
    }

    // MARK: Refused

    @Test func `a token that was changed in any letter is worth nothing`() throws {
        let control = control(try issuer())
        let wishes = #""jti":"1","iat":1000000,"versiond":{"allow":["read"],"prefix":"a"}"#
        let letters = Array(shop.token(SignedTokenTests.claims(wishes)))
        _ = try control.grant(of: .secret(String(letters)))
        for place in letters.indices {
            var wrong = letters
            wrong[place] = letters[place] == "A" ? "B" : "A"
            #expect(throws: AccessControl.Refusal.self, "letter \(place)") {
                try control.grant(of: .secret(String(wrong)))
            }
            wrong.remove(at: place)
            #expect(throws: AccessControl.Refusal.self, "without letter \(place)") {
                try control.grant(of: .secret(String(wrong)))
            }
        }
    }

    @Test func `the issuer's algorithm counts, whatever the token says`() throws {
        let control = control(try issuer())
        let claims = SignedTokenTests.claims()
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":"ES256"}"#, #"{"alg":"hs256"}"#,
            #"{"alg":"HS512"}"#, #"{"alg":""}"#, #"{"alg":"HS256 "}"#,
        ] {
            #expect(
                fault(shop.token(claims, header: header), control) == .badSignature, "\(header)")
            let unsigned = shop.token(claims, header: header).split(separator: ".").dropLast()
            #expect(
                fault(unsigned.joined(separator: ".") + ".", control) == .badSignature, "\(header)")
        }
        // Not even with a public key as the secret (RFC 8725 section 2.1).
        let pem = SignedTokenTests.publicKey
        let open = try #require(VerifyingKey(pem: pem, for: .es256))
        let bank = Issuer(name: "shop", algorithm: .es256, keys: [.init(open)], rights: .all)
        for header in [#"{"alg":"HS256"}"#, #"{"alg":"ES256"}"#] {
            let forged = TokenSigning(secret: pem).token(claims, header: header)
            #expect(fault(forged, self.control(bank)) == .badSignature)
        }
    }

    @Test func `what is no token in its compact form is unknown`() throws {
        let control = control(try issuer())
        let good = shop.token(SignedTokenTests.claims())
        let parts = good.split(separator: ".").map(String.init)
        let critical = #"{"alg":"HS256","crit":["exp"],"exp":1}"#
        for text in [
            "", ".", "..", "...", "a.b.c", good + ".", "." + good, good + "=", " " + good,
            "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])",
            "\(parts[1]).\(parts[1]).\(parts[2])", "..\(parts[2])",
            shop.token("[]"), shop.token("7"), shop.token("{"), shop.token("{}", header: "{}"),
            shop.token("{}", header: #"{"alg":1}"#),
            shop.token(#"{"sub":"a","sub":"b","exp":1000600}"#),
            shop.token(SignedTokenTests.claims(), header: critical),
            shop.token(SignedTokenTests.claims(), header: #"{"alg":"HS256","crit":[]}"#),
            shop.token(
                SignedTokenTests.claims(#""pad":"\#(String(repeating: "x", count: 8_192))""#)),
            shop.token(String(repeating: "[", count: 2_000)),
        ] {
            #expect(throws: AccessControl.Refusal.unknownToken, "\(text.prefix(80))") {
                try control.grant(of: .secret(text))
            }
        }
        #expect(throws: AccessControl.Refusal.badToken(.unknownIssuer("shop"))) {
            try self.control().grant(of: .secret(good))
        }
    }

    @Test(arguments: [
        #""sub":7,"exp":1000600"#, #""exp":1000600"#, #""sub":"","exp":1000600"#,
        #""sub":"a\nb","exp":1000600"#, #""sub":"a\u202eb","exp":1000600"#,
        #""sub":"a""#, #""sub":"a","exp":"1000600""#, #""sub":"a","exp":null"#,
        #""sub":"a","exp":-1"#, #""sub":"a","exp":1e300"#, #""sub":"a","exp":1000600,"nbf":"x""#,
        #""sub":"a","exp":1000600,"iat":{}"#, #""sub":"a","exp":1000600,"jti":7"#,
        #""sub":"a","exp":1000600,"aud":"others""#, #""sub":"a","exp":1000600,"aud":[]"#,
        #""sub":"a","exp":1000600,"aud":7"#, #""sub":"a","exp":1000600,"versiond":[]"#,
        #""sub":"a","exp":1000600,"versiond":null"#,
        #""sub":"a","exp":1000600,"versiond":{"prefx":"a"}"#,
        #""sub":"a","exp":1000600,"versiond":{"prefix":7}"#,
        #""sub":"a","exp":1000600,"versiond":{"allow":"read"}"#,
        #""sub":"a","exp":1000600,"versiond":{"allow":["reed"]}"#,
        #""sub":"a","exp":1000600,"versiond":{"documents":"a"}"#,
        #""sub":"a","exp":1000600,"versiond":{"documents":[1]}"#,
        #""sub":"a","exp":1000600,"versiond":{"rate":"fast"}"#,
        // The daemon's own documents have such names.
        #""sub":"a","exp":1000600,"versiond":{"prefix":"\u0000"}"#,
        #""sub":"a","exp":1000600,"versiond":{"documents":["\u0000run/a"]}"#,
    ])
    func `claims that cannot be granted are said`(claims: String) throws {
        let fault = fault(shop.token("{\(claims)}"), control(try issuer()))
        guard case .badClaims = fault else { return #expect(fault == .badClaims("…")) }
    }

    @Test func `at most 100 documents are named, and the words are short ones`() throws {
        let control = control(try issuer())
        func token(_ count: Int) -> String {
            let names = (0..<count).map { "\"d\($0)\"" }.joined(separator: ",")
            return shop.token(SignedTokenTests.claims(#""versiond":{"documents":[\#(names)]}"#))
        }
        #expect(try control.grant(of: .secret(token(100))).reach.documents.count == 100)
        #expect(
            fault(token(101), control) == .badClaims("versiond.documents has more than 100 names"))
    }

    @Test func `a token is for whom it says, and where an issuer wants a word, for that`() throws {
        let open = control(try issuer())
        let strict = control(try issuer(audience: "https://notes"))
        func token(_ more: String) -> String { shop.token(SignedTokenTests.claims(more)) }
        for audience in [#""aud":"versiond""#, #""aud":["x","versiond"]"#, ""] {
            #expect(try open.grant(of: .secret(token(audience))).name == "user-17")
            #expect(
                fault(token(audience), strict) == .badClaims("aud does not contain https://notes"))
        }
        #expect(
            try strict.grant(of: .secret(token(#""aud":["https://notes"]"#))).name == "user-17")
    }

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----

        """
}

// Expiry and revocation.

extension SignedTokenTests {
    @Test func `times count to the second, with 30 s of leeway`() throws {
        let control = control(try issuer())
        let token = shop.token(
            SignedTokenTests.claims(#""nbf":1000100,"iat":1000100"#, exp: "1000200.5"))
        time.set(milliseconds: 1_000_069_999)
        #expect(fault(token, control) == .notYet(seconds: 31, name: "user-17"))
        time.set(milliseconds: 1_000_070_000)
        #expect(try control.grant(of: .secret(token)).name == "user-17")
        time.set(milliseconds: 1_000_230_499)
        #expect(try control.grant(of: .secret(token)).name == "user-17")
        time.set(milliseconds: 1_000_230_500)
        #expect(throws: AccessControl.Refusal.expiredToken(name: "user-17")) {
            try control.grant(of: .secret(token))
        }
        #expect(fault(token, self.control(try issuer())) == .expired(name: "user-17"), "not kept")
    }

    @Test func `a clock that steps ends a token, and brings it back`() throws {
        let control = control(try issuer())
        let token = shop.token(SignedTokenTests.claims())
        let standing = StandingGrant(control)
        try standing.renew { try control.grant(of: .secret(token)) }
        #expect(standing.counts)
        time.set(milliseconds: 2_000_000_000)
        #expect(!standing.counts)
        #expect(throws: AccessControl.Refusal.self) { try control.grant(of: .secret(token)) }
        time.set(milliseconds: 1_000_000_000)
        #expect(standing.counts)
        #expect(try control.grant(of: .secret(token)).name == "user-17")
    }

    @Test func `an issuer's tokens last no longer than it may say`() throws {
        let control = control(try issuer(ageMax: 600_000))
        func token(_ more: String, _ exp: String) -> String {
            shop.token(SignedTokenTests.claims(more, exp: exp))
        }
        #expect(try control.grant(of: .secret(token("", "1000600"))).name == "user-17")
        #expect(
            try control.grant(of: .secret(token(#""iat":1000010"#, "1000610"))).name == "user-17")
        for (more, exp) in [("", "1000631"), (#""iat":1000000"#, "1000631"), ("", "99999999999")] {
            guard case .badClaims = fault(token(more, exp), control) else {
                Issue.record("\(more) \(exp)")
                continue
            }
        }
    }

    @Test func `a token is revoked by its name, a subject's until now by its own`() throws {
        let shop = try issuer()
        let control = control(shop)
        func token(_ more: String) -> String { self.shop.token(SignedTokenTests.claims(more)) }
        let tokens = [
            token(#""jti":"1","iat":1000000"#), token(#""jti":"2","iat":1000000"#),
            token(#""jti":"3","iat":1000020"#), token(#""jti":"4""#),
        ]
        func worth() -> [Bool] {
            tokens.map { (try? control.grant(of: .secret($0))) != nil }
        }
        time.set(milliseconds: 1_000_010_000)
        #expect(worth() == [true, true, true, true])
        let one = Revocation(issuer: "shop", .id("1"))
        control.replace(with: list([shop], [one]))
        #expect(worth() == [false, true, true, true])
        #expect(fault(tokens[0], control) == .revoked(name: "user-17"))
        let until = Revocation(issuer: "shop", .subject("user-17", before: 1_000_010_000))
        control.replace(with: list([shop], [until]))
        #expect(worth() == [false, false, true, false])
        control.replace(
            with: list(
                [shop],
                [
                    Revocation(issuer: "blog", .id("1")),
                    Revocation(issuer: "shop", .subject("user-1", before: .max)),
                ]))
        #expect(worth() == [true, true, true, true], "of others, and taken back")
    }

    @Test func `a revocation of an agent or of its user revokes the tokens of both together`()
        throws
    {
        let shop = try issuer()
        let control = control(shop)
        let token = self.shop.token(SignedTokenTests.claims(#""act":{"sub":"bot"}"#))
        #expect(try control.grant(of: .secret(token)).name == "bot")
        for subject in ["bot", "user-17"] {
            let until = Revocation(issuer: "shop", .subject(subject, before: .max))
            control.replace(with: list([shop], [until]))
            #expect(fault(token, control) == .revoked(name: "bot"), "\(subject)")
        }
        let other = Revocation(issuer: "shop", .subject("bo", before: .max))
        control.replace(with: list([shop], [other]))
        #expect(try control.grant(of: .secret(token)).promptBy == "user-17")
    }

    @Test func `a key that is exchanged takes its tokens along at once`() throws {
        let other = TokenSigning(secret: "another application's secret of 40 bytes")
        let control = control(try issuer())
        let header = #"{"alg":"HS256","kid":"1"}"#
        let token = shop.token(SignedTokenTests.claims(), header: header)
        let ticket = control.ticket(for: .secret(token))
        let standing = StandingGrant(control)
        func shown() throws -> Grant {
            try control.grant(of: try control.credentials(ofTicket: ticket, isBegun: true))
        }
        try standing.renew { try control.grant(of: .secret(token)) }
        #expect(try shown().name == "user-17")
        // Both keys: no client is affected.
        let both = try [("1", shop), ("2", other)].map { id, signing in
            Issuer.Key(id: id, try #require(VerifyingKey(secret: signing.secret)))
        }
        control.replace(
            with: list([
                Issuer(name: "shop", algorithm: .hs256, keys: both, rights: .read)
            ]))
        #expect(!standing.counts)
        #expect(try shown().rights == .read, "what the issuer may grant counts at once")
        control.replace(with: list([try issuer("shop", other)]))
        #expect(throws: AccessControl.Refusal.unknownToken) { try shown() }
        #expect(fault(token, control) == .badSignature)
        #expect(
            try control.grant(of: .secret(other.token(SignedTokenTests.claims()))).name == "user-17"
        )
    }

    @Test func `what was verified counts only while its issuer is the one that it names`() throws {
        let control = control(try issuer())
        let (named, unnamed) = (
            shop.token(SignedTokenTests.claims()), shop.token(#"{"sub":"ada","exp":1000600}"#)
        )
        for token in [named, unnamed] { _ = try control.grant(of: .secret(token)) }
        let key = Issuer.Key(try #require(VerifyingKey(secret: shop.secret)))
        let renamed = Issuer(
            name: "shop", identifier: "https://new/", algorithm: .hs256, keys: [key],
            rights: .read)
        control.replace(with: list([renamed]))
        #expect(fault(named, control) == .unknownIssuer("shop"))
        #expect(try control.grant(of: .secret(unnamed)).rights == .read)
        control.replace(with: list([try issuer(), renamed]))
        #expect(fault(unnamed, control) == .unknownIssuer(nil))
    }

    @Test func `keys are found by their names`() throws {
        func entry(_ id: String?, _ letter: String) -> String {
            let key = TokenSigning.letters(String(repeating: letter, count: 32))
            return #"{"kty":"oct","k":"\#(key)"\#(id.map { ",\"kid\":\"\($0)\"" } ?? "")}"#
        }
        func signed(_ letter: String, kid: String?) -> String {
            TokenSigning(secret: String(repeating: letter, count: 32)).token(
                SignedTokenTests.claims(),
                header: kid.map { #"{"alg":"HS256","kid":"\#($0)"}"# } ?? #"{"alg":"HS256"}"#)
        }
        let others = [
            #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"r"}"#, #"{"kty":"oct","k":"AAAA"}"#,
            #"{"kty":"oct","use":"enc","k":"\#(String(repeating: "A", count: 43))"}"#,
            #"{"kty":"oct","alg":"HS512","k":"\#(String(repeating: "A", count: 43))"}"#, "{}",
        ]
        let set = ([entry("1", "a"), entry("2", "b")] + others).joined(separator: ",")
        let keys = try #require(
            Issuer.keys(ofSet: Array(#"{"keys":[\#(set)]}"#.utf8), for: .hs256))
        #expect(keys.map(\.id) == ["1", "2"], "others are passed over")
        let control = control(
            Issuer(name: "shop", algorithm: .hs256, keys: keys, rights: .read))
        #expect(try control.grant(of: .secret(signed("a", kid: "1"))).name == "user-17")
        #expect(try control.grant(of: .secret(signed("b", kid: "2"))).name == "user-17")
        for (letter, kid) in [("a", "2"), ("b", "1"), ("a", "3"), ("a", nil)] {
            #expect(fault(signed(letter, kid: kid), control) == .badSignature)
        }
        for text in ["", "[]", "{}", #"{"keys":7}"#] {
            #expect(Issuer.keys(ofSet: Array(text.utf8), for: .hs256) == nil)
        }
    }

    @Test func `the examples of RFC 7515 are signed, and claim nobody`() throws {
        let claims =
            "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
            + "cnVlfQ"
        let key = try #require(VerifyingKey(pem: SignedTokenTests.publicKey, for: .es256))
        let control = control(
            Issuer(name: "joe", algorithm: .es256, keys: [.init(key)], rights: .read))
        let token =
            "eyJhbGciOiJFUzI1NiJ9.\(claims)."
            + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        guard case .badClaims(let what) = fault(token, control) else {
            Issue.record("its signature counts")
            return
        }
        #expect(what.hasPrefix("sub"))
    }
}

// Bounds.

extension SignedTokenTests {
    @Test func `what is kept of tokens and rates is bounded, whoever comes`() throws {
        let control = control(try issuer(rate: .init(requests: 5, seconds: 1)))
        for user in 0..<30_000 {
            let token = shop.token(#"{"iss":"shop","sub":"user-\#(user)","exp":1000600}"#)
            let grant = try control.grant(of: .secret(token))
            #expect(try control.count(grant)?.remaining == 4)
            if user.isMultiple(of: 5_000) { time.advance(by: 1_000) }
        }
        #expect(control.keptCounts.tokens <= 20_000)
        #expect(control.keptCounts.rates <= 20_000)
    }
}
