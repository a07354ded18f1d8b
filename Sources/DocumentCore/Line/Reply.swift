/// Where the result of a request goes. A line carries it from the request to the action that ends
/// it, and never calls it.
package struct Reply: Sendable {
    package let send: @Sendable (Result<Outcome, Refusal>) -> Void

    package init(_ send: @escaping @Sendable (Result<Outcome, Refusal>) -> Void) {
        self.send = send
    }

    /// Replies with an error that does not come from the document.
    package func refuse(_ error: ChangeError) { send(.failure(Refusal(error))) }
}
