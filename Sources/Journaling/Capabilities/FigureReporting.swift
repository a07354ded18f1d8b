/// A journal with figures of its own for whoever operates it.
public protocol FigureReporting: Journal {
    /// The libraries and servers that store, with their versions.
    var libraries: [String: String] { get }

    /// Metrics by their names, without `versiond_`. May read the disk.
    var figures: [String: Double] { get }
}
