extension JSON {
    /// The value as JSON text in UTF-8, without white space. O(n); never recurses.
    ///
    /// Numbers and strings come back as they were written; strings escape only what they must.
    public func serialized() -> [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    /// Appends the value's JSON text to `text`.
    public func append(to text: inout [UInt8]) {
        TextWriter.append(byteCount, to: &text) { writer in
            var serializer = JSONSerializer(writer)
            serializer.write(self)
            writer = serializer.writer
        }
    }

    /// Appends a string as JSON text, quotes included.
    public static func appendQuoted(_ string: String, to text: inout [UInt8]) {
        text.append(0x22)
        let isPlain = string.utf8.allSatisfy { !Quoting.isSpecial($0) }
        if isPlain {
            text.append(contentsOf: string.utf8)
        } else {
            Quoting.append(Array(string.utf8).span, to: &text)
        }
        text.append(0x22)
    }

    /// The value as JSON text with two spaces of indentation, for people. Never recurses.
    public func prettyPrinted() -> [UInt8] {
        PrettyText.indented(serialized())
    }
}

/// Writes one value. Open containers are frames on a stack.
private struct JSONSerializer {
    private struct Frame {
        let node: Node
        var slot = 0
        /// Whether the bracket at the end is this frame's, and not that of a node above it.
        let isWhole: Bool
    }

    fileprivate var writer: TextWriter
    private var frames: [Frame] = []

    init(_ writer: TextWriter) {
        self.writer = writer
    }

    mutating func write(_ value: JSON) {
        begin(value)
        while let top = frames.indices.last {
            let frame = frames[top]
            let node = frame.node
            let next = node.level > 0 ? frame.slot : writeScalars(of: node, from: frame.slot)
            if next == node.slotCount {
                frames.removeLast()
                if frame.isWhole { close(node) }
                continue
            }
            frames[top].slot = next + 1
            let child = node[next]
            if node.level == 0 {
                if node.isObject { writer.name(next, of: node.shape) }
                begin(child)
            } else if let child = child.node {
                frames.append(Frame(node: child, isWhole: false))
            }
        }
    }

    /// Writes elements or members up to the next one that is a container with something in it.
    private mutating func writeScalars(of node: Node, from start: Int) -> Int {
        node.withSlots { slots in
            var slot = start
            let shape = node.isObject ? node.shape : nil
            while slot < slots.count {
                if let child = slots[slot].node, child.count > 0 { return slot }
                if let shape { writer.name(slot, of: shape) }
                writer.scalar(slots[slot])
                writer.byte(UInt8(ascii: ","))
                slot += 1
            }
            return slot
        }
    }

    private mutating func begin(_ value: JSON) {
        guard let node = value.node, node.count > 0 else { return writer.scalar(value) }
        writer.byte(UInt8(ascii: node.isObject ? "{" : "["))
        frames.append(Frame(node: node, isWhole: true))
    }

    /// Puts the bracket in the place of the last comma.
    private mutating func close(_ node: Node) {
        writer.set(writer.count - 1, UInt8(ascii: node.isObject ? "}" : "]"))
        if !frames.isEmpty { writer.byte(UInt8(ascii: ",")) }
    }
}
