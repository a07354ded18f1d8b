import DocumentCore
import Journaling

/// The value of an expression about the journal, whose faults are then those of a change.
func journaled<Value>(
    _ body: @autoclosure () throws(JournalError) -> Value
) throws(ChangeError) -> Value {
    do throws(JournalError) { return try body() } catch { throw .journal(error) }
}
