import DocumentCore
import Naming

extension ChangeRequest {
    /// The same about a document of the daemon's own: no quota counts it.
    func asOwn(_ action: Action) -> ChangeRequest {
        var request = self
        request.action = action
        request.tokenName = .nobody
        request.mayDelete = true
        return request
    }
}
