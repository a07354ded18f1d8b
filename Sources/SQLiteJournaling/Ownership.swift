import Glibc

/// What the operator's tools make as root belongs to whom the directory belongs to: otherwise the
/// daemon could not open it afterwards (N1). SQLite does so with its logs by itself.
public enum Ownership {
    /// Gives an open file to the owner of a directory. Only root can; what fails leaves it as it is
    /// and is told when the file is opened.
    public static func adopt(_ descriptor: Int32, in directory: String) {
        guard let owner = owner(of: directory) else { return }
        _ = fchown(descriptor, owner.user, owner.group)
    }

    /// The same by its path.
    public static func adopt(_ path: String, in directory: String) {
        guard let owner = owner(of: directory) else { return }
        _ = unsafe chown(path, owner.user, owner.group)
    }

    private static func owner(of directory: String) -> (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, unsafe stat(directory, &status) == 0, status.st_uid != 0 else {
            return nil
        }
        return (status.st_uid, status.st_gid)
    }
}
