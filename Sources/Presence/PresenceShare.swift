/// The part of a shared limit that each owner may take.
///
/// An owner has at most as much as it leaves to all others: alone a half, a second one a quarter.
/// So one token, or all clients of a daemon without tokens, never locks out another one, and no
/// owner has to be known in advance.
enum PresenceShare {
    /// Whether an owner that has `own` of `all` may have that.
    static func allows(own: Int, of all: Int, max: Int) -> Bool { own <= max - all }
}
