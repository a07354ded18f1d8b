import FoundationEssentials
import JSONTree

extension ModelCoder.DateForm {
    private static let whole = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
    private static let parted = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// A date in this form.
    func encode(_ date: Date, _ encoder: ModelEncoder) throws -> JSON {
        let seconds = date.timeIntervalSince1970
        switch self {
        case .text:
            let isWhole = seconds == seconds.rounded()
            return JSON(
                date.formatted(isWhole ? ModelCoder.DateForm.whole : ModelCoder.DateForm.parted))
        case .seconds: return try encoder.number(seconds)
        case .milliseconds: return try encoder.number((seconds * 1_000).rounded())
        }
    }

    /// The date in a value; `nil` if it has another form.
    func decode(_ value: JSON) -> Date? {
        switch self {
        case .text:
            guard let text = value.string else { return nil }
            return (try? ModelCoder.DateForm.whole.parse(text))
                ?? (try? ModelCoder.DateForm.parted.parse(text))
        case .seconds:
            return value.numberText.flatMap { Double($0) }.map(Date.init(timeIntervalSince1970:))
        case .milliseconds:
            return value.numberText.flatMap { Double($0) }.map {
                Date(timeIntervalSince1970: $0 / 1_000)
            }
        }
    }
}
