import JSONTree
import TestSupport
import Testing

@testable import versionctl
@testable import versiond

/// The pages of the reference that describe the programs, against the tables in the code.
@Suite struct ReferenceTests {
    @Test func `Settings.md has the settings of the daemon`() throws {
        let help = Serve._dumpHelp()
        let rows = Setting.table.map { setting in
            let option = ServeOptions.option(of: setting.name)
            var range = ""
            if case .number(let numbers, _) = setting.kind {
                range = "\(numbers.lowerBound) to \(numbers.upperBound)"
            }
            return [
                "`\(setting.name)`", help.contains("\"\(option)\"") ? "`--\(option)`" : "",
                setting.fallback.map { "`\($0)`" } ?? "", range, setting.meaning,
            ]
        }
        let table = ReferencePage.table(["setting", "option", "default", "range", "meaning"], rows)
        #expect(try ReferencePage.isCurrent("Settings.md", "daemon", table))
    }

    @Test func `the shipped configuration has all settings with their defaults`() throws {
        let note =
            "Names that begin with // are comments. The values are the defaults; omit those "
            + "that you do not change."
        let members = Setting.table.map { setting in
            let meaning = "  \"// \(setting.name)\": \(JSON(setting.meaning))"
            return setting.fallback.map { "\(meaning),\n  \"\(setting.name)\": \($0)" } ?? meaning
        }
        let text = (["  \"//\": \(JSON(note))"] + members).joined(separator: ",\n\n")
        #expect(try ReferencePage.isCurrent("Config/versiond.json") { _ in "{\n\(text)\n}\n" })
    }

    @Test func `Metrics.md has every metric`() throws {
        let rows = Metric.all.map { metric in
            [
                "`\(metric.name)`", metric.kind.rawValue,
                metric.labels.map { "`\($0)`" }.joined(separator: ", "), metric.unit,
                metric.meaning,
            ]
        }
        let table = ReferencePage.table(["metric", "type", "labels", "unit", "meaning"], rows)
        #expect(try ReferencePage.isCurrent("Metrics.md", "metrics", table))
    }

    @Test func `CommandLine.md has every command with its options`() throws {
        let programs = [
            ("versionctl", Versionctl._dumpHelp()), ("versiond", Versiond._dumpHelp()),
        ]
        for (name, help) in programs {
            let page = try CommandLinePage(help).text
            #expect(try ReferencePage.isCurrent("CommandLine.md", name, page))
        }
    }
}

extension ServeOptions {
    /// The option of a setting: `logLevel` is `log-level`.
    fileprivate static func option(of setting: String) -> String {
        setting.replacing(#/[A-Z]/#) { "-" + $0.output.lowercased() }
    }
}
