import Foundation
import JSONTree
import TestSupport
import Testing

@testable import VersioningClient

/// A coder between models and documents that loses nothing.
@Suite struct ModelCoderTests {
    private enum State: Codable, Equatable {
        case draft
        case sold(by: String, price: Decimal)
    }

    private struct Dish: Codable, Equatable, Identifiable {
        var id: String
        var name: String
        var price: Decimal
        var stock: UInt64?
    }

    private struct Menu: Codable, Equatable {
        var title: String
        var dishes: [Dish]
        var state: State
        var words: [String: Int]
        var opened: Date?
        var rate: Double
    }

    private let coder = ModelCoder()
    private let menu = Menu(
        title: "Summer",
        dishes: [
            Dish(id: "1", name: "Soup", price: Decimal(string: "4.50")!, stock: .max),
            Dish(id: "2", name: "Pie", price: 12, stock: nil),
        ],
        state: .sold(by: "ada", price: 3), words: ["a": 1, "b": 2],
        opened: Date(timeIntervalSince1970: 1_700_000_000.25), rate: 0.1)

    private func json(_ text: String) throws -> JSON { try JSON(parsing: text) }

    @Test func `a model is the same after its JSON`() throws {
        let value = try coder.encode(menu)
        #expect(try coder.decode(Menu.self, from: value) == menu)
        #expect(value["dishes"]?[0]?["stock"]?.numberText == "18446744073709551615")
        #expect(value["state"] == ["sold": ["by": "ada", "price": 3]])
        #expect(value["opened"] == "2023-11-14T22:13:20.250Z")
        #expect(value["dishes"]?[1]?["stock"] == nil)
    }

    @Test func `dates have the form of the coder`() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        for (form, value) in [
            (.text, "2023-11-14T22:13:20Z"), (.seconds, 1_700_000_000),
            (.milliseconds, 1_700_000_000_000),
        ] as [(ModelCoder.DateForm, JSON)] {
            let coder = ModelCoder(dates: form)
            #expect(try coder.encode([date]) == [value])
            #expect(try coder.decode([Date].self, from: [value]) == [date])
        }
    }

    @Test func `an edit of a model leaves what the model does not know`() throws {
        let document = try json(
            #"""
            {"title":"Summer","more":{"x":1},"rate":0.10,"words":{"a":1.0},"opened":null,
             "state":{"draft":{"since":7}},
             "dishes":[{"id":"1","name":"Soup","price":4.50,"allergens":["milk"]},
                       {"id":"2","name":"Pie","price":12.00,"allergens":[]}]}
            """#)
        var model = try coder.decode(Menu.self, from: document)
        #expect(try coder.operations(from: document, to: model).operations.isEmpty)
        model.dishes.swapAt(0, 1)
        model.dishes[1].price = 5
        model.words["b"] = 2
        let operations = try coder.operations(from: document, to: model)
        let after = try document.applying(operations).tree
        let expected = try json(
            #"""
            {"title":"Summer","more":{"x":1},"rate":0.10,"words":{"a":1.0,"b":2},"opened":null,
             "state":{"draft":{"since":7}},
             "dishes":[{"id":"2","name":"Pie","price":12.00,"allergens":[]},
                       {"id":"1","name":"Soup","price":5,"allergens":["milk"]}]}
            """#)
        #expect(after == expected, "\(after)")
    }

    @Test func `names that look alike are two members`() throws {
        struct Twins: Codable {
            var first = 1
            var second = 2
            enum CodingKeys: String, CodingKey {
                case first = "\u{e9}"
                case second = "e\u{301}"
            }
        }
        let value = try coder.encode(Twins())
        #expect(value.count == 2)
        #expect(try coder.decode(Twins.self, from: value).second == 2)
    }

    @Test func `an error names the place`() throws {
        func fault(_ text: String) throws -> ModelError? {
            let value = try json(text)
            do { _ = try coder.decode(Menu.self, from: value) } catch { return error }
            return nil
        }
        let start = #"{"title":"a","words":{},"rate":1,"state":{"draft":{}},"dishes":["#
        let price = try fault(start + #"{"id":"1","name":"a","price":"4"}]}"#)
        #expect(price?.pointer.description == "/dishes/0/price")
        #expect(price?.reason == "Expected a number, and found string.")
        let stock = try fault(start + #"{"id":"1","name":"a","price":4,"stock":-1}]}"#)
        #expect(stock?.pointer.description == "/dishes/0/stock")
        let name = try fault(start + #"{"id":"1","price":4}]}"#)
        #expect(name?.pointer.description == "/dishes/0")
        #expect(name?.reason.contains("name") == true)
        #expect(throws: ModelError.self) { try coder.encode([Double.nan]) }
    }

    @Test(arguments: Seeds.of(200))
    func `whatever a document has beside a model, an edit of the model leaves it`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var model = menu
        let document = try coder.encode(model).withMore(&random)
        edit(&model, &random)
        let after = try document.applying(coder.operations(from: document, to: model)).tree
        #expect(try coder.decode(Menu.self, from: after) == model)
        #expect(after.more.isSuperset(of: document.more), "\(after)")
        for dish in model.dishes {
            let before = document["dishes"]?.elements?.first { $0["id"]?.string == dish.id }
            let now = after["dishes"]?.elements?.first { $0["id"]?.string == dish.id }
            if let before { #expect(now?.more.isSuperset(of: before.more) == true, "\(dish.id)") }
        }
    }

    private func edit(_ model: inout Menu, _ random: inout SeededGenerator) {
        for _ in 0..<(1 + random.below(4)) {
            switch random.below(6) {
            case 0: model.title = "title \(random.below(100))"
            case 1: model.dishes.shuffle(using: &random)
            case 2: model.dishes[random.below(model.dishes.count)].price = Decimal(random.below(9))
            case 3:
                let id = "n\(random.below(1_000_000))"
                let dish = Dish(id: id, name: "new", price: 1, stock: nil)
                model.dishes.insert(dish, at: random.below(model.dishes.count + 1))
            case 4: model.words["w\(random.below(3))"] = random.below(5)
            default: model.rate = Double(random.below(10)) / 4
            }
        }
    }
}

extension JSON {
    /// The value with further members in each object, and other digits of equal numbers.
    fileprivate func withMore(_ random: inout SeededGenerator) -> JSON {
        if let elements {
            var made: [JSON] = []
            for element in elements { made.append(element.withMore(&random)) }
            return JSON(elements: made)
        }
        guard let members else { return self }
        var made: [(String, JSON)] = []
        for (name, value) in members { made.append((name, value.withMore(&random))) }
        // A dictionary of numbers has no other members.
        let isDictionary = self["a"] != nil
        if !isDictionary, random.once(in: 2) {
            made.append(("more\(random.below(1_000))", .random(&random, shape: .random(&random))))
        }
        return JSON(members: made)
    }

    /// The further members, wherever they are.
    fileprivate var more: Set<JSON> {
        var found: Set<JSON> = []
        for (name, value) in members ?? [] {
            if name.hasPrefix("more") { found.insert(value) } else { found.formUnion(value.more) }
        }
        for element in elements ?? [] { found.formUnion(element.more) }
        return found
    }
}
