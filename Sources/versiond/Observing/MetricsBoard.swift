import Threading

/// Counts and times, in the Prometheus text format (version 0.0.4).
final class MetricsBoard: Sendable {
    private struct Key: Hashable {
        let name: String
        let labels: String
    }

    private struct State {
        var numbers: [Key: Number] = [:]
        var histograms: [Key: Histogram] = [:]
    }

    private let state = Lock(State())
    /// In the order of the output.
    private let metrics: [Metric]

    init(_ metrics: [Metric]) {
        self.metrics = metrics
    }

    /// Whether the table has a metric with these labels.
    private func has(_ name: String, _ labels: [(String, String)]) -> Bool {
        let metric = metrics.first { $0.name == name }
        return metric.map { metric in labels.allSatisfy { metric.labels.contains($0.0) } } ?? false
    }

    /// Labels as they are written: `{code="x"}`.
    private static func text(_ labels: [(String, String)]) -> String {
        labels.map { name, value in
            let escaped = value.map { character in
                switch character {
                case "\\": "\\\\"
                case "\"": "\\\""
                case "\n": "\\n"
                default: String(character)
                }
            }
            return "\(name)=\"\(escaped.joined())\""
        }.joined(separator: ",")
    }

    /// A counter or a gauge; the same for the same labels.
    func number(_ name: String, _ labels: [(String, String)] = []) -> Number {
        assert(has(name, labels), "\(name) with \(labels)")
        let key = Key(name: name, labels: MetricsBoard.text(labels))
        return state.withLock { state in
            let number = state.numbers[key] ?? Number()
            state.numbers[key] = number
            return number
        }
    }

    /// A distribution: of seconds, or of counts; the same for the same labels.
    func histogram(_ name: String, _ labels: [(String, String)] = []) -> Histogram {
        assert(has(name, labels), "\(name) with \(labels)")
        let key = Key(name: name, labels: MetricsBoard.text(labels))
        let isCount = !name.hasSuffix("_seconds")
        return state.withLock { state in
            let histogram =
                state.histograms[key] ?? Histogram(isCount ? Histogram.counts : Histogram.seconds)
            state.histograms[key] = histogram
            return histogram
        }
    }

    /// Everything, as text.
    var text: String {
        let state = state.withLock { $0 }
        var text = ""
        for metric in metrics {
            let name = metric.name
            text += "# HELP \(name) \(metric.meaning)\n# TYPE \(name) \(metric.kind)\n"
            let numbers = state.numbers.filter { $0.key.name == name }
            for (key, number) in numbers.sorted(by: { $0.key.labels < $1.key.labels }) {
                text += MetricsBoard.line(name, key.labels, number.value)
            }
            let histograms = state.histograms.filter { $0.key.name == name }
            for (key, histogram) in histograms.sorted(by: { $0.key.labels < $1.key.labels }) {
                text += histogram.text(name, key.labels)
            }
        }
        return text
    }

    fileprivate static func line(_ name: String, _ labels: String, _ value: Double) -> String {
        let isWhole = value == value.rounded() && abs(value) < 1e15
        let number = isWhole ? String(Int(value)) : String(value)
        return "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(number)\n"
    }
}

/// A number that grows, or that is set.
final class Number: Sendable {
    private let number = Lock(0.0)

    var value: Double { number.withLock { $0 } }

    func increment() { number.withLock { $0 += 1 } }
    func set(_ value: Double) { number.withLock { $0 = value } }
}

/// How often which amounts came.
final class Histogram: Sendable {
    /// The bounds that OpenTelemetry has for HTTP, and shorter ones.
    static let seconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10,
    ]
    static let counts: [Double] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000]

    private struct State {
        var counts: [Int]
        var count = 0
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Lock<State>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Lock(State(counts: Array(repeating: 0, count: bounds.count)))
    }

    func record(_ value: Double) {
        let place = bounds.firstIndex { value <= $0 }
        state.withLock { state in
            if let place { state.counts[place] += 1 }
            state.count += 1
            state.sum += value
        }
    }

    func record(_ time: Duration) { record(time / .seconds(1)) }

    fileprivate func text(_ name: String, _ labels: String) -> String {
        let state = state.withLock { $0 }
        let comma = labels.isEmpty ? "" : ","
        var text = ""
        var total = 0
        for (bound, count) in zip(bounds, state.counts) {
            total += count
            text += MetricsBoard.line(
                name + "_bucket", "\(labels)\(comma)le=\"\(bound)\"", Double(total))
        }
        text += MetricsBoard.line(
            name + "_bucket", "\(labels)\(comma)le=\"+Inf\"", Double(state.count))
        text += MetricsBoard.line(name + "_sum", labels, state.sum)
        return text + MetricsBoard.line(name + "_count", labels, Double(state.count))
    }
}
