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
