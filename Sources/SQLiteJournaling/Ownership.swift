import Glibc

/// Files that the operator's tools make as root get the owner of the directory: otherwise the
/// daemon could not open them afterwards. SQLite does the same for its logs.
public enum Ownership {
    /// Gives an open file to the owner of a directory. Only root can; on a failure the file stays
    /// as it is, and opening it reports the error.
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
