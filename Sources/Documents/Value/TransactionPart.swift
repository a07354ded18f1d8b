import JSONTree
public import Journaling

/// Where a change stands in the transaction that it is a part of: a change of several documents, of
/// which all parts are stored or none.
public struct TransactionPart: Sendable, Equatable {
    /// 1 for the first.
    public let number: Int
    public let count: Int
    /// The first part, by which the transaction is named.
    public let leader: DocumentRevision
    /// All parts, in the order of their documents' names; in the first part's change only.
    ///
    /// A change is a part if its place is named here: in a copy of its document, or under another
    /// name, it is a change like any other.
    public let parts: [DocumentRevision]

    init(number: Int, of parts: [DocumentRevision]) {
        self.number = number
        count = parts.count
        leader = parts[0]
        self.parts = number == 1 ? parts : []
    }
}

// MARK: Bytes

extension TransactionPart {
    func write(to writer: inout ByteWriter) {
        writer.number(number)
        writer.number(count)
        for part in number == 1 ? parts : [leader] {
            writer.text(part.document.name)
            writer.number(part.revision)
        }
    }

    init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
        number = try reader.number()
        count = try reader.number()
        var named: [DocumentRevision] = []
        for _ in 0..<(number == 1 ? count : 1) {
            guard let document = DocumentID(try reader.text()) else {
                throw ByteReader.Malformed()
            }
            named.append(DocumentRevision(document, try reader.number()))
        }
        guard let first = named.first else { throw ByteReader.Malformed() }
        leader = first
        parts = number == 1 ? named : []
    }
}
