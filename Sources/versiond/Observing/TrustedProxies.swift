import HTTPServing

/// The proxies in front whose word about clients is believed.
struct TrustedProxies: Equatable, Sendable {
    let ranges: [HTTPAddressRange]

    /// The limit on addresses of the field that are read: chains of proxies are shorter.
    private static let addressesMax = 32

    /// The origin of a request: the last address in `X-Forwarded-For` that is not a trusted
    /// proxy's. Addresses before it may come from the client and are ignored.
    func client(peer: HTTPAddress, forwarded: String?) -> HTTPAddress {
        guard let forwarded, isTrusted(peer) else { return peer }
        var client = peer
        for text in forwarded.split(separator: ",").reversed().prefix(TrustedProxies.addressesMax) {
            guard let address = TrustedProxies.address(text) else { return client }
            client = address
            if !isTrusted(address) { return client }
        }
        return client
    }

    private func isTrusted(_ address: HTTPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// `192.0.2.7`, `192.0.2.7:1234`, `2001:db8::7`, `[2001:db8::7]:1234`.
    private static func address(_ text: Substring) -> HTTPAddress? {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text = text.dropLast() }
        if text.hasPrefix("[") { return HTTPAddress(text.dropFirst().prefix { $0 != "]" }) }
        let isWithPort = text.contains(".") && text.filter { $0 == ":" }.count == 1
        return HTTPAddress(isWithPort ? text.prefix { $0 != ":" } : text)
    }
}
