import Glibc

/// A variable of the environment; `nil` if it is empty.
func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

/// Sets a variable for the programs that are run from here.
func setVariable(_ name: String, _ value: String) {
    unsafe setenv(name, value, 1)
}
