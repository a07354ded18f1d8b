import Foundation
import HTTPServing
import Testing

@testable import versiond

/// The observed data, as values.
@Suite struct ObservingTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func `what ends within two weeks is told, and what has ended no longer`() {
        let day = 86_400.0
        let expiries = Expiries(
            tokens: [
                "ada": ObservingTests.now + 9.5 * day, "bob": ObservingTests.now + 15 * day,
                "ci": ObservingTests.now - 1, "eve": ObservingTests.now + 7_300,
            ], certificate: ObservingTests.now + 3 * day)
        #expect(
            expiries.warnings(at: ObservingTests.now) == [
                "the token ada expires in 9 days: versiond token rotate",
                "the token eve expires in 2 hours: versiond token rotate",
                "the certificate expires in 3 days",
            ])
        #expect(expiries.nextToken(after: ObservingTests.now) == ObservingTests.now + 7_300)
        #expect(Expiries().warnings(at: ObservingTests.now) == [])
        #expect(Expiries().nextToken(after: ObservingTests.now) == nil)
        let ended = Expiries(certificate: ObservingTests.now)
        #expect(ended.warnings(at: ObservingTests.now).count == 1)
    }

    /// As `openssl x509 -enddate` says.
    @Test func `a certificate says when it ends`() throws {
        let keys = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Keys")
        for name in ["certificate.pem", "certificate-renewed.pem"] {
            let path = keys.appending(path: name)
            let text = try String(contentsOf: path, encoding: .utf8)
            let date = try #require(CertificateExpiry.date(ofPEM: text))
            let said = try DaemonProcess.bash(
                "date -u -d \"$(openssl x509 -enddate -noout -in \(path.path) | cut -d= -f2)\" +%s")
            #expect(String(Int(date.timeIntervalSince1970)) + "\n" == said.output)
            for count in 0..<text.count {
                _ = CertificateExpiry.date(ofPEM: String(text.prefix(count)) + "-----END")
            }
        }
        #expect(CertificateExpiry.date(ofPEM: "") == nil)
        #expect(CertificateExpiry.date(ofPEM: text("MAA=")) == nil)
        #expect(CertificateExpiry.date(ofPEM: text("MIP/////MIP/////")) == nil)
    }

    private func text(_ letters: String) -> String {
        "-----BEGIN CERTIFICATE-----\n\(letters)\n-----END CERTIFICATE-----"
    }

    @Test(arguments: [
        ("10.0.0.7", nil, "10.0.0.7"), ("10.0.0.7", "203.0.113.9", "203.0.113.9"),
        // Other peers are not trusted, nor are entries before the last one that is not a proxy's.
        ("192.0.2.1", "203.0.113.9", "192.0.2.1"),
        ("10.0.0.7", "127.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.7", "198.51.100.1,203.0.113.9 , 10.1.2.3", "203.0.113.9"),
        ("10.0.0.7", "10.0.0.9", "10.0.0.9"), ("10.0.0.7", "", "10.0.0.7"),
        ("10.0.0.7", "unknown", "10.0.0.7"), ("10.0.0.7", "x, 10.0.0.8", "10.0.0.8"),
        ("10.0.0.7", "203.0.113.9:4711", "203.0.113.9"),
        ("10.0.0.7", "[2001:db8::7]:4711", "2001:db8::7"),
        ("2001:db8:1::1", "2001:db8::7", "2001:db8::7"),
        ("2001:db8:2::1", "2001:db8::7", "2001:db8:2::1"),
    ])
    func `a client is whom trusted proxies name`(
        peer: String, forwarded: String?, client: String
    ) throws {
        let proxies = TrustedProxies(
            ranges: ["10.0.0.0/8", "2001:db8:1::/48"].compactMap { HTTPAddressRange($0) })
        let peer = try #require(HTTPAddress(peer))
        #expect(proxies.client(peer: peer, forwarded: forwarded).description == client)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("0.0.0.0/0", "192.0.2.7", true), ("0.0.0.0/0", "2001:db8::7", false),
        ("::/0", "192.0.2.7", true), ("192.0.2.7", "192.0.2.7", true),
        ("192.0.2.7/31", "192.0.2.6", true), ("192.0.2.7/32", "192.0.2.6", false),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8:0:0:8000::1", false),
    ])
    func `a range has the addresses that begin alike`(
        range: String, address: String, isIn: Bool
    ) throws {
        let range = try #require(HTTPAddressRange(range))
        #expect(try range.contains(#require(HTTPAddress(address))) == isIn)
    }

    @Test(arguments: ["", "10", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "a", "/8"])
    func `what is no range is none`(text: String) {
        #expect(HTTPAddressRange(text) == nil)
    }
}
