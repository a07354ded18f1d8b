import JSONTree
public import Journaling

/// The position of a change in its transaction: a change of several documents, of which all parts
/// are stored or none.
public struct TransactionPart: Sendable, Equatable {
    /// 1 for the first; 0 in a document of the daemon's own that is stored with the parts.
    public let number: Int
    public let count: Int
    /// The first part, by which the transaction is named.
    public let leader: DocumentRevision
    /// All parts, in the order of their documents' names; in the first part's change only.
    ///
    /// A change is a part if its place is named here, or if its document had that name when the
    /// change was made: a copy has changes like any others, a renamed document has its parts.
    public let parts: [DocumentRevision]

    package init(number: Int, of parts: [DocumentRevision]) {
        self.number = number
        count = parts.count
        leader = parts[0]
        self.parts = number == 1 ? parts : []
    }
}

// MARK: Bytes

extension TransactionPart {
    /// Added to the number of a part whose change says what became of others: more than the number
    /// of any part. Transactions had 100 parts at most when the smaller one was chosen.
    private static func elsewhereMark(ofParts count: Int) -> Int { count > 128 ? 65_536 : 128 }

    func write(to writer: inout ByteWriter, _ elsewhere: [PartElsewhere]) {
        let mark = elsewhere.isEmpty ? 0 : TransactionPart.elsewhereMark(ofParts: count)
        writer.number(number + mark)
        writer.number(count)
        for part in number == 1 ? parts : [leader] {
            writer.text(part.document.name)
            writer.number(part.revision)
        }
        if elsewhere.isEmpty { return }
        writer.number(elsewhere.count)
        for part in elsewhere { part.write(to: &writer) }
    }

    init(
        from reader: inout ByteReader, _ elsewhere: inout [PartElsewhere]
    ) throws(ByteReader.Malformed) {
        let first = try reader.number()
        count = try reader.number()
        let mark = TransactionPart.elsewhereMark(ofParts: count)
        let hasElsewhere = first > mark
        number = hasElsewhere ? first - mark : first
        var named: [DocumentRevision] = []
        for _ in 0..<(number == 1 ? count : 1) {
            guard let document = DocumentID(try reader.text()) else {
                throw ByteReader.Malformed()
            }
            named.append(DocumentRevision(document, try reader.number()))
        }
        guard let leader = named.first else { throw ByteReader.Malformed() }
        self.leader = leader
        parts = number == 1 ? named : []
        guard hasElsewhere else { return }
        for _ in 0..<(try reader.number()) { elsewhere.append(try PartElsewhere(from: &reader)) }
    }
}
