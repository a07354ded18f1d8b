import CMicroHTTPD
import Glibc

/// The callbacks of libmicrohttpd, on the loop's thread.
///
/// Not in `main.swift`: there, closures belong to the main actor, and calling them from another
/// thread traps.
enum Callbacks {
    private static func loop(_ context: UnsafeMutableRawPointer?) -> EventLoop? {
        unsafe context.map { unsafe Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func client(of connection: OpaquePointer) -> ClientConnection? {
        unsafe versiond_context(connection).map {
            unsafe Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// A connection begins or ends; its `ClientConnection` lives as long.
    static let notify: MHD_NotifyConnectionCallback = { context, connection, socketContext, event in
        guard let loop = unsafe loop(context), let connection = unsafe connection,
            let socketContext = unsafe socketContext
        else { return }
        if event == .CONNECTION_NOTIFY_STARTED {
            let client = unsafe ClientConnection(
                descriptor: versiond_descriptor(connection), timeouts: loop.settings.timeouts,
                idle: .seconds(loop.settings.idleSecondsMax), at: loop.now())
            loop.opened(client)
            unsafe socketContext.pointee = Unmanaged.passRetained(client).toOpaque()
        } else if let box = unsafe socketContext.pointee {
            loop.closed(unsafe Unmanaged<ClientConnection>.fromOpaque(box).takeRetainedValue())
            unsafe socketContext.pointee = nil
        }
    }

    /// The request line has come: keeps the target, which libmicrohttpd will decode and cut at NUL.
    static let logTarget:
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
        ) -> UnsafeMutableRawPointer? = { _, target, connection in
            guard let target = unsafe target, let connection = unsafe connection else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
            unsafe client(of: connection)?.target = Array(bytes)
            return nil
        }

    /// Leaves percent-encoding alone; `HTTPTarget` decodes it, segment by segment.
    static let unescape:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
        ) -> Int = { _, _, text in
            unsafe text.map { unsafe strlen($0) } ?? 0
        }

    /// Called first with the head, then with each part of the body, then again at its end.
    static let handle: MHD_AccessHandlerCallback = {
        context, connection, _, method, version, data, size, slot in
        guard let loop = unsafe loop(context), let connection = unsafe connection,
            let slot = unsafe slot, let size = unsafe size
        else { return .NO }
        guard let box = unsafe slot.pointee else {
            return unsafe begin(
                loop, connection, String(cString: method!), String(cString: version!), slot)
        }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(box).takeUnretainedValue()
        if unsafe size.pointee > 0 {
            let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
            unsafe size.pointee = 0
            return unsafe exchange.receive(bytes) ? .YES : .NO
        }
        return exchange.finish(loop.handler)
    }

    /// The request is over, one way or another.
    static let complete: MHD_RequestCompletedCallback = { context, connection, slot, _ in
        guard let loop = unsafe loop(context), let connection = unsafe connection,
            let slot = unsafe slot
        else { return }
        unsafe client(of: connection)?.waiting(at: loop.now())
        guard let box = unsafe slot.pointee else {
            // Nothing was begun, if not even the head came whole.
            guard let client = unsafe client(of: connection), client.wasRefused else { return }
            client.wasRefused = false
            return loop.endsResponse()
        }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(box).takeRetainedValue()
        unsafe slot.pointee = nil
        exchange.end()
        loop.ended(bodyBytes: exchange.bodyBytes)
    }

    /// Checks the head and passes it to the handler.
    private static func begin(
        _ loop: EventLoop, _ connection: OpaquePointer, _ method: String, _ version: String,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let client = unsafe client(of: connection) else { return .NO }
        client.receiving(at: loop.now())
        client.isHTTP11 = version == "HTTP/1.1"
        let checks = unsafe checks(of: connection)
        let head: HTTPRequestHead
        do throws(HTTPFault) { head = try self.head(checks, client, method, version) } catch {
            return unsafe refuse(
                loop.handler.refuse(error, checks.fields), loop, client, connection)
        }
        let length = head.fields["content-length"].map { Int($0) ?? .max } ?? 0
        var (bodyBytesMax, context, refusal) = (0, (any Sendable)?.none, HTTPResponse?.none)
        switch loop.handler.admit(head) {
        case .refused(let response): refusal = response
        case .admitted(let most, let found):
            (bodyBytesMax, context) = (most, found)
            if length > most {
                refusal = loop.handler.refuse(.bodyTooLarge(max: most), head.fields)
            }
        }
        let isWaiting = head.fields["expect"] != nil
        if let refusal, isWaiting || length > Exchange.refusedBytesMax {
            return unsafe refuse(refusal, loop, client, connection)
        }
        let exchange = unsafe Exchange(
            head, context, bodyBytesMax: bodyBytesMax, refusal: refusal, connection: connection,
            client: client, loop: loop)
        unsafe slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        loop.began()
        return .YES
    }

    /// Sends a response before the body has come. libmicrohttpd then closes the connection.
    private static func refuse(
        _ response: HTTPResponse, _ loop: EventLoop, _ client: ClientConnection,
        _ connection: OpaquePointer
    ) -> MHD_Result {
        client.wasRefused = true
        loop.beginsResponse()
        return unsafe loop.queue(response, on: connection)
    }

    private static func checks(of connection: OpaquePointer) -> FieldChecks {
        var checks = FieldChecks()
        _ = unsafe withUnsafeMutablePointer(to: &checks) { checks in
            unsafe MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    let name = unsafe UnsafeRawBufferPointer(start: name, count: nameSize)
                    let value = unsafe UnsafeRawBufferPointer(start: value, count: valueSize)
                    unsafe context?.assumingMemoryBound(to: FieldChecks.self).pointee
                        .add(name: name, value: value)
                    return .YES
                }, checks)
        }
        return checks
    }

    private static func head(
        _ checks: FieldChecks, _ client: ClientConnection, _ method: String, _ version: String
    ) throws(HTTPFault) -> HTTPRequestHead {
        if let fault = checks.framingFault(isHTTP10: version == "HTTP/1.0") { throw fault }
        guard let known = HTTPMethod(rawValue: method) else { throw .unknownMethod(method) }
        return HTTPRequestHead(
            method: known, target: try HTTPTarget(parsing: client.target), fields: checks.fields,
            peer: client.peer)
    }
}
