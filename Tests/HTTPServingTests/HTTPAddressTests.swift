import Testing

@testable import HTTPServing

/// Addresses as people write them, of the words that the kernel gives.
@Suite struct HTTPAddressTests {
    /// The words of sixteen bytes, in memory order.
    private func address(_ bytes: [UInt8]) -> HTTPAddress {
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            UInt64(bigEndian: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
        return HTTPAddress(high: word(bytes[..<8]), low: word(bytes[8...]))
    }

    @Test func `an IPv4 address is written as one`() {
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
        #expect(address(mapped + [192, 0, 2, 7]).description == "192.0.2.7")
        #expect(address(mapped + [255, 255, 255, 255]).description == "255.255.255.255")
    }

    @Test func `an IPv6 address is written in its short form`() {
        let zeros = [UInt8](repeating: 0, count: 11)
        #expect(address([0x20, 1, 0x0d, 0xb8] + zeros + [7]).description == "2001:db8::7")
        #expect(address([UInt8](repeating: 0, count: 15) + [1]).description == "::1")
    }
}
