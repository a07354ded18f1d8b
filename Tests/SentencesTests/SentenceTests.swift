import JSONTree
import Testing

@testable import Sentences

@Suite("What a change did is told as people say it")
struct SentenceTests {
    /// A document with all that has a name of its own: texts, elements, tables, keys that are no
    /// words.
    static let menu: JSON = [
        "title": "Summer menu", "note": "Ask for the dessert of the day.", "vegan": false,
        "address": ["street": "Mill Lane 4", "city": "Ulm"],
        "dishes": [
            ["id": "d1", "name": "Tomato soup", "price": 6, "allergens": ["celery"]],
            ["id": "d2", "name": "Green salad", "price": 8], ["id": "d3", "price": 9],
            ["price": 4],
        ],
        "tags": ["summer", "lunch"], "todo": [["text": "Buy basil", "done": false]],
        "k49": ["n": 1], "VATRate": 7,
        "users": ["7f3a9c0e-11": ["email": "zoe@mill.example", "role": "cook"]],
        "sections": [["name": "Mains", "dishes": [["name": "Trout", "price": 1]]]],
    ]

    private func told(_ operations: String, on tree: JSON = menu) throws -> String {
        let applied = try tree.applying(try JSONPatch(JSON(parsing: Array(operations.utf8))))
        return Telling(applied.patch, on: tree).sentence.text
    }

    @Test(
        "One edit is told by the names of what it was done to",
        arguments: [
            (
                #"[{"op":"replace","path":"/dishes/0/price","value":7}]"#,
                "changed the price of Tomato soup from 6 to 7"
            ),
            (
                #"[{"op":"replace","path":"/title","value":"Menu"}]"#,
                "changed the title from “Summer menu” to “Menu”"
            ),
            (
                #"[{"op":"replace","path":"/address/city","value":"Bonn"}]"#,
                "changed the city of the address from “Ulm” to “Bonn”"
            ),
            (
                #"[{"op":"add","path":"/dishes/1","value":{"name":"Gazpacho"}}]"#,
                "added Gazpacho to dishes"
            ),
            (
                #"[{"op":"add","path":"/dishes/-","value":{"name":"Gazpacho"}}]"#,
                "added Gazpacho to dishes"
            ),
            (#"[{"op":"remove","path":"/dishes/1"}]"#, "removed Green salad from dishes"),
            (#"[{"op":"remove","path":"/address"}]"#, "removed the address"),
            (
                #"[{"op":"replace","path":"/dishes/2/price","value":10}]"#,
                "changed the price of dish d3 from 9 to 10"
            ),
            (
                #"[{"op":"replace","path":"/dishes/3/price","value":5}]"#,
                "changed the price of dish 4 from 4 to 5"
            ),
            (#"[{"op":"add","path":"/tags/1","value":"spicy"}]"#, "added “spicy” to tags"),
            (
                #"[{"op":"add","path":"/sections/0/dishes/0","value":{"name":"Pike"}}]"#,
                "added Pike to dishes"
            ),
            (
                #"[{"op":"replace","path":"/sections/0/dishes/0/price","value":2}]"#,
                "changed the price of Trout (Mains) from 1 to 2"
            ),
            (#"[{"op":"replace","path":"/vegan","value":true}]"#, "turned vegan on"),
            (
                #"[{"op":"add","path":"/dishes/0/vegan","value":true}]"#,
                "marked Tomato soup as vegan"
            ),
            (
                #"[{"op":"add","path":"/dishes/0/vegan","value":false}]"#,
                "marked Tomato soup as not vegan"
            ),
            (#"[{"op":"replace","path":"/todo/0/done","value":true}]"#, "ticked Buy basil"),
            (
                #"[{"op":"add","path":"/dishes/0/note","value":{"a":1}}]"#,
                "added the note of Tomato soup"
            ),
            (
                #"[{"op":"add","path":"/dishes/3/name","value":"Pea soup"}]"#,
                "set the name of Pea soup to “Pea soup”"
            ),
            (
                #"[{"op":"str_ins","path":"/note","pos":0,"str":"Please, "}]"#,
                "wrote “Please,” in the note"
            ),
            (
                #"[{"op":"str_del","path":"/note","pos":0,"str":"Ask"}]"#,
                "deleted “Ask” from the note"
            ),
            (
                #"[{"op":"move","from":"/dishes/2","path":"/dishes/0"}]"#,
                "moved dish d3 to the top of dishes"
            ),
            (
                #"[{"op":"move","from":"/dishes/0","path":"/dishes/1"}]"#,
                "moved Tomato soup down 1 place in dishes"
            ),
            (
                #"[{"op":"move","from":"/dishes/0","path":"/dishes/3"}]"#,
                "moved Tomato soup to the end of dishes"
            ),
            (
                #"[{"op":"move","from":"/sections/0/dishes/0","path":"/dishes/0"}]"#,
                "moved Trout from dishes to dishes"
            ),
            (
                #"[{"op":"move","from":"/vegan","path":"/vegetarian"}]"#,
                "renamed vegan to vegetarian"
            ),
            (
                #"[{"op":"replace","path":"/k49/n","value":2}]"#,
                "changed “n” of “k49” from 1 to 2"
            ),
            (
                #"[{"op":"replace","path":"/VATRate","value":12345678901234567890}]"#,
                "changed the VAT rate from 7 to 12345678901234567890"
            ),
            (
                #"[{"op":"replace","path":"/users/7f3a9c0e-11/role","value":"waiter"}]"#,
                "changed the role of zoe@mill.example from “cook” to “waiter”"
            ),
            (
                #"[{"op":"replace","path":"/note","value":"Something else entirely, at length."}]"#,
                "rewrote the note"
            ),
            (
                #"[{"op":"replace","path":"/note","value":"Ask for the pudding of the day."}]"#,
                "changed “dessert” to “pudding” in the note"
            ),
            (#"[{"op":"replace","path":"/note","value":""}]"#, "cleared the note"),
            (#"[{"op":"replace","path":"/address","value":null}]"#, "cleared the address"),
            (
                #"[{"op":"replace","path":"/tags/1","value":"dinner"}]"#,
                "changed “lunch” to “dinner” in tags"
            ),
            (
                #"[{"op":"replace","path":"","value":"a text"}]"#,
                "replaced the whole document"
            ),
        ])
    func oneEdit(_ operations: String, _ sentence: String) throws {
        #expect(try told(operations) == sentence)
    }

    @Test(
        "Several edits are told by the largest group of them",
        arguments: [
            (
                #"[{"op":"replace","path":"/dishes/0/price","value":7},{"op":"replace","path":"/dishes/1/price","value":9}]"#,
                "changed the price of 2 dishes"
            ),
            (
                #"[{"op":"replace","path":"/dishes/0/price","value":7},{"op":"replace","path":"/dishes/0/name","value":"Pea soup"}]"#,
                "changed the price and name of Pea soup"
            ),
            (
                #"[{"op":"replace","path":"/dishes/0/price","value":7},{"op":"replace","path":"/dishes/1/name","value":"Pea soup"}]"#,
                "changed 2 dishes"
            ),
            (
                #"[{"op":"add","path":"/dishes/0","value":{"name":"A"}},{"op":"add","path":"/dishes/1","value":{"name":"B"}}]"#,
                "added A and B to dishes"
            ),
            (
                #"[{"op":"add","path":"/dishes/0","value":{"name":"A"}},{"op":"add","path":"/dishes/0","value":{"name":"B"}},{"op":"add","path":"/dishes/0","value":{"name":"C"}},{"op":"add","path":"/dishes/0","value":{"name":"D"}},{"op":"add","path":"/dishes/0","value":{"name":"E"}}]"#,
                "added A, B and 3 more to dishes"
            ),
            (
                #"[{"op":"add","path":"/dishes/0","value":{"name":"A"}},{"op":"add","path":"/dishes/1","value":{"name":"B"}},{"op":"replace","path":"/title","value":"b"}]"#,
                "added A and B to dishes and changed the title from “Summer menu” to “b”"
            ),
            (
                #"[{"op":"add","path":"/dishes/0","value":{"name":"A"}},{"op":"remove","path":"/dishes/2"},{"op":"replace","path":"/title","value":"b"}]"#,
                "added A to dishes and 2 more changes"
            ),
            (
                #"[{"op":"remove","path":"/dishes/0"},{"op":"replace","path":"/dishes/0/price","value":1}]"#,
                "removed Tomato soup from dishes and changed the price of Green salad from 8 to 1"
            ),
            (
                #"[{"op":"str_ins","path":"/note","pos":0,"str":"A"},{"op":"str_ins","path":"/note","pos":9,"str":"B"}]"#,
                "wrote in the note"
            ),
            (
                #"[{"op":"str_del","path":"/note","pos":0,"len":1},{"op":"str_ins","path":"/note","pos":9,"str":"B"}]"#,
                "rewrote part of the note"
            ),
            (
                #"[{"op":"remove","path":"/title"},{"op":"remove","path":"/VATRate"}]"#,
                "removed the title and VAT rate"
            ),
            (
                #"[{"op":"add","path":"/from","value":1},{"op":"add","path":"/until","value":2}]"#,
                "added the from and until"
            ),
            (
                #"[{"op":"replace","path":"/title","value":"a"},{"op":"replace","path":"/VATRate","value":8}]"#,
                "changed the title and VAT rate"
            ),
        ])
    func severalEdits(_ operations: String, _ sentence: String) throws {
        #expect(try told(operations) == sentence)
    }

    @Test("A value that was put anew is told by what differs in it")
    func putAnew() throws {
        let place = try #require(JSONPointer(parsing: "/dishes/0/price"))
        let other = try SentenceTests.menu.replacing(at: place, with: 7)
        let patch = SentenceTests.menu.replaced(by: other)
        let telling = Telling(patch, on: SentenceTests.menu)
        #expect(telling.sentence.text == "changed the price of Tomato soup from 6 to 7")
        #expect(telling.count == 1)
    }

    @Test("Values are told of up to three changes, as numbers are written")
    func values() throws {
        let before: JSON = ["a": 1, "b": 2, "c": 3, "d": 4]
        let after: JSON = ["a": 2, "b": 3, "c": "x", "d": 5]
        let telling = Telling(from: before, to: after)
        #expect(telling.values.map { "\($0.old) → \($0.new)" } == ["1 → 2", "2 → 3", "3 → “x”"])
        #expect(telling.count == 4)
    }

    @Test("Long texts are cut where characters end, and nothing is told in many words")
    func cut() throws {
        let long = String(repeating: "👩‍👩‍👧‍👦 ", count: 100)
        #expect(long.cut(to: 8).count <= 8)
        #expect("two\n  lines".cut(to: 32) == "two lines")
        let million = String(repeating: "word ", count: 200_000)
        let told = Telling(from: ["note": JSON(million)], to: ["note": JSON(million + "more")])
        #expect(told.sentence.text == "wrote “more” in the note")
    }

    @Test("Many edits are counted, and only the first ones are looked at")
    func many() {
        let before = JSON(members: (0..<1_000).map { ("n\($0)x", JSON($0)) })
        let after = JSON(members: (0..<1_000).map { ("n\($0)x", JSON($0 + 1)) })
        let telling = Telling(from: before, to: after)
        #expect(telling.count == 1_000)
        #expect(telling.sentence.text.hasSuffix(" and 744 more changes"))
    }
}
