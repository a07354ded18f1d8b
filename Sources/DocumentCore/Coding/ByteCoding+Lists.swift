import JSONTree
import Naming

// Lists: how many there are, and then each.

extension ByteWriter {
    mutating func list<Element>(
        _ elements: [Element], _ write: (inout ByteWriter, Element) -> Void
    ) {
        number(elements.count)
        for element in elements { write(&self, element) }
    }

    mutating func names(_ names: [Name]) { list(names) { $0.name($1) } }

    mutating func texts(_ texts: [String]) { list(texts) { $0.text($1) } }

    mutating func numbers(_ numbers: [Int]) { list(numbers) { $0.number($1) } }
}

extension ByteReader {
    mutating func list<Element>(
        _ read: (inout ByteReader) throws(Malformed) -> Element
    ) throws(Malformed) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try number()) { elements.append(try read(&self)) }
        return elements
    }

    mutating func names() throws(Malformed) -> [Name] {
        try list { reader throws(Malformed) in try reader.name() }
    }

    mutating func texts() throws(Malformed) -> [String] {
        try list { reader throws(Malformed) in try reader.text() }
    }

    mutating func numbers() throws(Malformed) -> [Int] {
        try list { reader throws(Malformed) in try reader.number() }
    }
}
