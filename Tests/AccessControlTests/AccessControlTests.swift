import AccessControl
import TestSupport
import Testing

/// The rights of clients.
@Suite struct AccessControlTests {
    private let time = ManualTime(milliseconds: 0)

    private func control(_ list: AccessList) -> AccessControl {
        AccessControl(list) { [time] in time.now.milliseconds }
    }

    private func list(_ grant: Grant, secret: String = "s") -> AccessList {
        var list = AccessList()
        list.add(tokenHash: Token.hash(of: secret), grant)
        return list
    }

    @Test func `a secret is long, new each time, and known by its SHA-256 only`() {
        let secrets = (0..<100).map { _ in Token().secret }
        #expect(
            Set(secrets).count == 100
                && secrets.allSatisfy { $0.hasPrefix("vd_") && $0.count == 46 })
        #expect(
            Token.hash(of: "abc")
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `a token gives its grant, another one nothing`() throws {
        let grant = Grant(name: "ci", rights: [.read], prefix: "builds/")
        let control = control(list(grant))
        #expect(try control.grant(of: .secret("s")) == grant)
        #expect(throws: AccessControl.Refusal.unknownToken) { try control.grant(of: .secret("t")) }
        #expect(throws: AccessControl.Refusal.noToken) { try control.grant(of: .none) }
        #expect(throws: AccessControl.Refusal.noToken) { try control.grant(of: .user(7)) }
        #expect(grant.covers("builds/1") && !grant.covers("build") && grant.covers("builds/"))
    }

    @Test func `a token is worth nothing when its time is over, and when it is taken off the list`()
        throws
    {
        let control = control(list(Grant(name: "a", rights: .all, expiry: 1_000)))
        time.set(milliseconds: 999)
        #expect(try control.grant(of: .secret("s")).name == "a")
        time.set(milliseconds: 1_000)
        #expect(throws: AccessControl.Refusal.expiredToken(name: "a")) {
            try control.grant(of: .secret("s"))
        }
        control.replace(with: AccessList(anonymous: .everything))
        #expect(throws: AccessControl.Refusal.unknownToken) { try control.grant(of: .secret("s")) }
        #expect(try control.grant(of: .none) == .everything)
    }

    @Test func `a rate lets so many through, and fills again as time goes by`() throws {
        let grant = Grant(name: "a", rights: .all, rate: .init(requests: 10, seconds: 5))
        let control = control(list(grant))
        for left in stride(from: 9, through: 0, by: -1) {
            #expect(try control.count(grant)?.remaining == left)
        }
        do {
            _ = try control.count(grant)
            Issue.record("the eleventh went through")
        } catch {
            guard case .tooManyRequests(let allowance) = error else { throw error }
            #expect(allowance.remaining == 0 && allowance.seconds == 1)
        }
        for _ in 0..<499 {
            time.advance(by: 1)
            _ = try? control.count(grant)
        }
        time.advance(by: 1)
        #expect(
            try control.count(grant)?.remaining == 0,
            "half a second is one request, however often one asks")
        time.set(milliseconds: 0)
        #expect(throws: AccessControl.Refusal.self) { try control.count(grant) }
        time.advance(by: 3_600_000)
        #expect(try control.count(grant)?.remaining == 9)
        #expect(try control.count(.everything) == nil)
    }

    @Test func `rights have names, and who administers may do everything`() {
        #expect(Rights.allNames == ["read", "propose", "write", "undo-others", "admin"])
        #expect(
            Rights(name: "admin") == .all && Rights(name: "root") == nil
                && Rights.all.names == ["read", "write", "undo-others", "admin"])
        #expect(Rights(name: "write") == [.read, .propose, .write], "whoever writes reads")
        #expect(Rights(name: "propose")?.names == ["read", "propose"])
    }

    // MARK: Tickets

    @Test func `V5: nobody's tickets push out others', however many somebody makes`() throws {
        var list = list(Grant(name: "ada", rights: [.read]), secret: "a")
        list.add(tokenHash: Token.hash(of: "m"), Grant(name: "mallory", rights: [.read]))
        list.add(user: 7, Grant(name: "root", rights: [.read]))
        let control = control(list)
        let ticket = control.ticket(for: .secret("a"))
        let local = control.ticket(for: .user(7))
        for _ in 0..<20_000 { _ = control.ticket(for: .secret("m")) }
        for (ticket, name) in [(ticket, "ada"), (local, "root")] {
            let shown = try control.credentials(ofTicket: ticket, isBegun: false)
            #expect(try control.grant(of: shown).name == name)
        }
        control.replace(with: AccessList())
        let shown = try control.credentials(ofTicket: ticket, isBegun: true)
        #expect(throws: AccessControl.Refusal.unknownToken) { try control.grant(of: shown) }
    }

    @Test func `a ticket that somebody has changed, or made, or keeps too long is none`() throws {
        let control = control(list(Grant(name: "ada", rights: [.read])))
        let ticket = control.ticket(for: .secret("s"))
        func isTaken(_ ticket: String, isBegun: Bool = false) -> Bool {
            (try? control.credentials(ofTicket: ticket, isBegun: isBegun)) != nil
        }
        #expect(isTaken(ticket) && !ticket.contains("\u{22}") && ticket.utf8.count < 256)
        for index in ticket.indices.dropFirst(3) {
            let other = ticket[index] == "0" ? "1" : "0"
            #expect(!isTaken(ticket.replacingCharacters(in: index...index, with: other)))
        }
        for bad in ["", "vd_", "vd_00", String(ticket.dropLast(2)), ticket + "00", "xx" + ticket] {
            #expect(!isTaken(bad), "\(bad)")
        }
        #expect(!isTaken(self.control(list(.everything)).ticket(for: .secret("s"))), "another key")
        time.advance(by: 60_000)
        #expect(!isTaken(ticket) && isTaken(ticket, isBegun: true))
        time.advance(by: 24 * 60 * 60 * 1_000)
        #expect(!isTaken(ticket, isBegun: true))
    }
}
