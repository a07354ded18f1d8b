/// A journal with metrics of its own for the operator.
public protocol FigureReporting: Journal {
    /// The libraries and servers that store, with their versions.
    var libraries: [String: String] { get }

    /// Metrics by their names, without `versiond_`. May read the disk.
    var figures: [String: Double] { get }
}
