import ArgumentParser
import Configuration
import Logging
import ServiceLifecycle

@main
struct Versiond: AsyncParsableCommand {
    func run() async throws { print("hi") }
}
