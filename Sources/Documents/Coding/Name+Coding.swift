import JSONTree
import Naming

extension ByteWriter {
    mutating func name(_ name: Name) {
        text(name.text)
    }

    mutating func optionalName(_ name: Name?) {
        optionalText(name?.text)
    }
}

extension ByteReader {
    mutating func name() throws(Malformed) -> Name {
        Name(try text())
    }

    mutating func optionalName() throws(Malformed) -> Name? {
        try optionalText().map { Name($0) }
    }
}

extension ByteWriter {
    mutating func names(_ names: [Name]) {
        number(names.count)
        for name in names { self.name(name) }
    }
}

extension ByteReader {
    mutating func names() throws(ByteReader.Malformed) -> [Name] {
        var names: [Name] = []
        for _ in 0..<(try number()) { names.append(try name()) }
        return names
    }
}

extension ByteWriter {
    mutating func numbers(_ numbers: [Int]) {
        number(numbers.count)
        for number in numbers { self.number(number) }
    }
}

extension ByteReader {
    mutating func numbers() throws(ByteReader.Malformed) -> [Int] {
        var numbers: [Int] = []
        for _ in 0..<(try number()) { numbers.append(try number()) }
        return numbers
    }
}
