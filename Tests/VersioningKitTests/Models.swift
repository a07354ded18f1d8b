import Foundation
import VersioningKit

/// The model of the ancestor's documents, written by hand as its "Deep dive" shows it.
struct Activity: Identifiable, Sendable {
    let id: UUID
    var title: String
    var priority: Priority
    var childActivities: [Activity]

    enum Priority: Sendable {
        case low
        case medium(dueDate: Date?)
        case high(dueDate: Date, reason: String)
    }

    static var mock: Activity {
        Activity(id: UUID(), title: "Title", priority: .low, childActivities: [])
    }

    static func mock(count: Int) -> [Activity] { (0..<count).map { _ in .mock } }
}

extension Activity: Versionable {
    func addReversions(into reverter: inout some Reverter<Self>) {
        reverter.appendReversion(at: \.title)
        reverter.appendReversion(at: \.priority)
        reverter.appendReversion(at: \.childActivities)
    }
}

extension Activity.Priority: Versionable {
    func addReversions(into reverter: inout some Reverter<Self>) {
        guard reverter.hasChanged(at: \.caseName) == false else {
            reverter.appendOverwriteReversion(at: \.self)
            return
        }
        reverter.appendReversion(at: \.medium_dueDate)
        reverter.appendReversion(at: \.high_reason)
    }

    private enum CaseName { case low, medium, high }

    private var caseName: CaseName {
        switch self {
        case .low: .low
        case .medium: .medium
        case .high: .high
        }
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    private var medium_dueDate: (Date?)? {
        get { if case .medium(let dueDate) = self { dueDate } else { nil } }
        set { if case .medium = self, let newValue { self = .medium(dueDate: newValue) } }
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    var high_reason: String? {
        get { if case .high(_, let reason) = self { reason } else { nil } }
        set {
            if case .high(let dueDate, _) = self, let newValue {
                self = .high(dueDate: dueDate, reason: newValue)
            }
        }
    }
}

/// One property of every type that the documents name.
struct Everything: Versionable, Sendable {
    var int = 0, int64: Int64 = 0, int32: Int32 = 0, int16: Int16 = 0, int8: Int8 = 0
    var uint: UInt = 0, uint64: UInt64 = 0, uint32: UInt32 = 0, uint16: UInt16 = 0, uint8: UInt8 = 0
    var bool = false, double = 0.0, float: Float = 0
    var string = "", data = Data(), date = Date(timeIntervalSince1970: 0), uuid = UUID()
    var optionalInt: Int?, optionalString: String?, optionalData: Data?, optionalDate: Date?,
        optionalBool: Bool?
    var optionalDouble: Double?, optionalUUID: UUID?, optionalSet: Set<Int>?
    var set: Set<String> = []
    var numbers: [Int] = []
    var words: [String: Int] = [:]
    var activities: [Activity] = []
    var optionalActivities: [Activity]?
    var named: [String: Activity] = [:]
    var optionalNamed: [String: Activity]?
    var activity = Activity.mock
    var optionalActivity: Activity?
    var lastUpdated = Date(timeIntervalSince1970: 0)

    func addReversions(into reverter: inout some Reverter<Self>) {
        reverter.appendReversion(at: \.int)
        reverter.appendReversion(at: \.int64)
        reverter.appendReversion(at: \.int32)
        reverter.appendReversion(at: \.int16)
        reverter.appendReversion(at: \.int8)
        reverter.appendReversion(at: \.uint)
        reverter.appendReversion(at: \.uint64)
        reverter.appendReversion(at: \.uint32)
        reverter.appendReversion(at: \.uint16)
        reverter.appendReversion(at: \.uint8)
        reverter.appendReversion(at: \.bool)
        reverter.appendReversion(at: \.double)
        reverter.appendReversion(at: \.float)
        reverter.appendReversion(at: \.string)
        reverter.appendReversion(at: \.data)
        reverter.appendReversion(at: \.date)
        reverter.appendReversion(at: \.uuid)
        reverter.appendReversion(at: \.optionalInt)
        reverter.appendReversion(at: \.optionalString)
        reverter.appendReversion(at: \.optionalData)
        reverter.appendReversion(at: \.optionalDate)
        reverter.appendReversion(at: \.optionalBool)
        reverter.appendReversion(at: \.optionalDouble)
        reverter.appendReversion(at: \.optionalUUID)
        reverter.appendReversion(at: \.optionalSet)
        reverter.appendReversion(at: \.set)
        reverter.appendReversion(at: \.numbers)
        reverter.appendReversion(at: \.words)
        reverter.appendReversion(at: \.activities)
        reverter.appendReversion(at: \.optionalActivities)
        reverter.appendReversion(at: \.named)
        reverter.appendReversion(at: \.optionalNamed)
        reverter.appendReversion(at: \.activity)
        reverter.appendReversion(at: \.optionalActivity)
    }
}
