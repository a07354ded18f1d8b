import HTTPServing
import JSONTree

extension DocumentsAPI {
    func openAPI(_ call: Call) -> HTTPResponse {
        call.json([UInt8]("{}".utf8))
    }
}
