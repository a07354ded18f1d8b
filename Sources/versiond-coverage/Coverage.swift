import FuzzTargets
import Glibc

/// Runs one target, guided by coverage. `Scripts/fuzz` builds it with libFuzzer, which takes the
/// arguments; without that, this program only runs the inputs that are named.
@main
struct Coverage {
    static let target: FuzzTarget = {
        let name = unsafe getenv("FUZZ_TARGET").map { unsafe String(cString: $0) }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            preconditionFailure("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name))")
        }
        return target
    }()

    static func main() {
        #if FUZZING
            var (count, arguments) = unsafe (CommandLine.argc, CommandLine.unsafeArgv)
            exit(unsafe runDriver(&count, &arguments, testOneInput))
        #else
            print("Scripts/fuzz builds this for \(FuzzTarget.all.map(\.name))")
        #endif
    }
}

#if FUZZING
    /// The name that libFuzzer calls.
    @_cdecl("LLVMFuzzerTestOneInput")
    public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
        let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        if let fault = Coverage.target.run(input) { preconditionFailure(fault) }
        return 0
    }

    /// libFuzzer's own main function, as it is there for programs that have one already.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ run: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
    ) -> CInt
#endif
