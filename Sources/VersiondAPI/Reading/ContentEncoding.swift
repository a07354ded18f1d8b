import Compression
import HTTPServing

// Content codings: gzip, both ways (RFC 9110 section 8.4).

extension Call {
    /// The body as it was before it was compressed.
    func decodedBody(bytesMax: Int) throws(Problem) -> [UInt8] {
        guard let coding = fields["content-encoding"], coding.lowercased() != "identity" else {
            return bytes
        }
        guard coding.lowercased() == "gzip" else {
            throw Problem(
                .unsupportedMediaType, "The encoding \(coding) is not supported."
            ).withField("Accept-Encoding", "gzip")
        }
        do throws(Gzip.Fault) {
            return try Gzip.decode(bytes, bytesMax: bytesMax)
        } catch {
            switch error {
            case .malformed:
                throw Problem(.malformedRequest, "The body is not valid gzip data.")
            case .tooLarge(let max): throw Problem(HTTPFault.bodyTooLarge(max: max))
            }
        }
    }
}

extension HTTPResponse {
    /// The response in gzip, if the client takes that and it is worth it.
    ///
    /// The entity tag stays: it is the revision, in every form. No ranges are served, so no client
    /// can combine parts of two codings.
    func compressed(for fields: HTTPFields) -> HTTPResponse {
        guard Limits.codedBytes.contains(body.count) else { return self }
        guard HTTPResponse.takesGzip(fields), !isCoded else { return self }
        return coded(Gzip.encode(body))
    }

    /// The response with the gzip of its body in its place.
    func coded(_ gzip: [UInt8]) -> HTTPResponse {
        var response = self
        response.body = gzip
        response.fields.append((name: "Content-Encoding", value: "gzip"))
        return response
    }

    private var isCoded: Bool { fields.contains { $0.name == "Content-Encoding" } }

    static func takesGzip(_ fields: HTTPFields) -> Bool {
        for item in fields.values("accept-encoding").flatMap({ $0.split(separator: ",") }) {
            let parts = item.lowercased().filter { $0 != " " }.split(separator: ";")
            guard let name = parts.first, name == "gzip" || name == "*" else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            return weight.flatMap { Double($0) } ?? 1 > 0
        }
        return false
    }
}
