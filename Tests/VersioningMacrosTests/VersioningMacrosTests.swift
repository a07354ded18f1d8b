import Foundation
import Observation
import Testing
import VersioningMacros

/// The model of the ancestor's documents, as they write it.
@Versionable
struct Activity: Identifiable, Sendable {
    let id: UUID
    var title: String
    var priority: Priority
    var childActivities: [Activity]
    @VersionableIgnored
    var lastUpdated = Date(timeIntervalSince1970: 0)

    @Versionable
    enum Priority: Sendable {
        case low
        case medium(dueDate: Date?)
        case high(dueDate: Date, reason: String)
    }

    static var mock: Activity {
        Activity(id: .init(), title: "Title", priority: .low, childActivities: [])
    }

    static func mock(count: Int) -> [Activity] { (0..<count).map { _ in .mock } }
}

extension Activity.Priority {
    /// The computed property that the documents assume.
    var reason: String {
        get { if case .high(_, let reason) = self { reason } else { "" } }
        set { if case .high(let date, _) = self { self = .high(dueDate: date, reason: newValue) } }
    }
}

@Versionable
enum Shape: Sendable {
    case point
    case circle(Double)
    case polygon([Int], named: String?)
    case nested(Activity.Priority)
}

@Versioning
struct Model {
    var activity: Activity = .mock
}

@Versioning("activity")
struct PartlyTracked {
    var activity: Activity = .mock
    var notTracked: Activity = .mock
}

@Versioning(debounceMilliseconds: 60_000)
struct Debounced {
    var activity: Activity = .mock
}

@Versioning(errorMode: .throwErrors)
final class ThrowingModel {
    var activity: Activity = .mock
}

@Versioning
actor Counter {
    var activity: Activity = .mock

    func rename(_ title: String) { activity.title = title }
    func undo() -> String {
        $activity.undo()
        return activity.title
    }
}

@Observable
@Versioning(errorMode: .assignErrors("myError"))
final class ObservableModel {
    var activity: Activity = .mock
}

@Versioning(errorMode: .throwErrors, debounceMilliseconds: 60_000)
@Observable
final class ThrowingObservableModel {
    var activity: Activity = .mock
    var other: Activity = .mock
}

/// Every example of the documents.
@Suite struct DocumentTests {
    @Test func `basic usage`() {
        let model = Model(
            activity: Activity(id: .init(), title: "Title", priority: .low, childActivities: []))
        model.activity.title = "New title"
        model.activity.priority = .high(dueDate: .now, reason: "Important reason")
        model.activity.childActivities.append(.mock)
        model.$activity.undo()
        #expect(model.activity.childActivities == [])
        model.$activity.undo()
        #expect(model.activity.priority == .low)
        model.$activity.undo()
        #expect(model.activity.title == "Title")
        model.$activity.redo()
        #expect(model.activity.title == "New title")
    }

    @Test func `a change deep inside`() {
        let model = Model()
        model.activity.childActivities = [.mock]
        model.activity.childActivities[0].childActivities = [.mock, .mock]
        model.activity.childActivities[0].childActivities[1].priority = .high(
            dueDate: .now, reason: "why")
        model.activity.childActivities[0].childActivities[1].priority.reason += " - updated"
        #expect(
            model.activity.childActivities[0].childActivities[1].priority.reason == "why - updated")
        model.$activity.undo()
        #expect(model.activity.childActivities[0].childActivities[1].priority.reason == "why")
    }

    @Test func `a transaction`() {
        let model = Model()
        model.$activity.setWithTransaction { activity in
            activity.title = "New title"
            activity.priority = .medium(dueDate: nil)
        }
        model.$activity.undo()
        #expect(model.activity.title == "Title" && model.activity.priority == .low)
    }

    @Test func `scopes`() {
        let model = Model()
        model.activity.title = "New title"
        model.$activity.pushNewScope()
        #expect(model.$activity.scopeLevel == 1 && !model.$activity.hasUndo)
        model.activity.priority = .medium(dueDate: nil)
        model.activity.childActivities.append(.mock)
        model.$activity.popCurrentScope()
        #expect(model.$activity.scopeLevel == 0 && model.$activity.hasUndo)
        model.$activity.undo()
        #expect(model.activity.childActivities == [] && model.activity.priority == .low)
    }

    @Test func `tags, and what they print`() {
        let model = Model()
        model.$activity.tag("original")
        model.activity.title = "New title"
        model.activity.priority = .medium(dueDate: nil)
        model.$activity.tag("without-child")
        model.activity.childActivities = Activity.mock(count: 3)
        model.$activity.tag("with-child")
        model.$activity.undo(to: "without-child")
        #expect(model.activity.childActivities == [])
        let tags = model.$activity.tags()
        #expect(tags?.undo == ["original", nil, "without-child"] && tags?.redo == ["with-child"])
    }

    @Test func `typing without and with a debounce interval`() {
        let model = Model()
        let debounced = Debounced()
        for activity in [
            "N", "Ne", "New", "New ", "New t", "New ti", "New tit", "New titl", "New title",
        ] {
            model.activity.title = activity
            debounced.activity.title = activity
        }
        model.$activity.undo()
        #expect(model.activity.title == "New titl")
        debounced.$activity.undo()
        #expect(debounced.activity.title == "Title")
    }

    @Test func `errors thrown and errors stored`() throws {
        let model = ThrowingModel()
        model.activity.title = "New title"
        try model.$activity.undo()
        #expect(model.activity.title == "Title")
        let stored = Model()
        stored.$activity.setWithoutTracking(.mock)
        stored.activity.title = "New title"
        stored.$activity.setWithoutTracking(.mock)
        stored.$activity.undo()
        #expect(stored.$activity.error == .differentVersion)
    }

    @Test func `observable models`() throws {
        let model = ObservableModel()
        #expect(!model._$activity.hasUndo)
        model.activity.title = "New title"
        model._$activity.undo()
        #expect(model.activity.title == "Title" && model.myError == nil)
        let throwing = ThrowingObservableModel()
        #expect(!throwing._$activity.hasUndo && !throwing._$other.hasUndo)
        for title in ["N", "Ne", "New"] { throwing.activity.title = title }
        throwing.other.title = "Other"
        try throwing._$activity.undo()
        #expect(throwing.activity.title == "Title" && throwing.other.title == "Other")
    }

    @Test func `an actor`() async {
        let counter = Counter()
        await counter.rename("New title")
        #expect(await counter.undo() == "Title")
    }

    @Test func `ignored and untracked properties`() {
        var model = PartlyTracked()
        model.activity.title = "New title"
        model.activity.lastUpdated = Date(timeIntervalSince1970: 5)
        model.notTracked.title = "Other"
        model.$activity.undo()
        #expect(model.activity.title == "Title" && model.notTracked.title == "Other")
        #expect(model.activity.lastUpdated == Date(timeIntervalSince1970: 5))
    }

    @Test func `a case that changes, and the values of one that stays`() throws {
        let steps: [Shape] = [
            .point, .circle(1), .circle(2), .polygon([1, 2], named: "a"),
            .polygon([1, 2, 3], named: nil),
            .nested(.medium(dueDate: nil)), .nested(.medium(dueDate: .now)), .nested(.low),
        ]
        for (old, new) in zip(steps, steps.dropFirst()) {
            var value = new
            try #require(new.reversion(to: old)).revert(&value)
            #expect(value == old)
            try #require(old.reversion(to: new)).revert(&value)
            #expect(value == new)
        }
    }

    @Test func `a reversion is for one version`() {
        let original = Activity.mock
        var mutable = original
        mutable.title = "New title"
        let reversion = mutable.reversion(to: original)
        mutable.title = "Newer title"
        #expect(throws: ReversionError.self) { try reversion?.revert(&mutable) }
        #expect(mutable.title == "Newer title")
    }
}
