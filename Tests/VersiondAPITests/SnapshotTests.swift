import Documents
import JSONTree
import TestSupport
import Testing

/// Snapshots: Restore's job, over HTTP.
@Suite struct SnapshotTests {
    private static let start = #"{"rank1":"Apple","rank2":"Banana","judges":[1,2]}"#

    private func fruits() throws -> LocalDaemon {
        let daemon = try LocalDaemon()
        try daemon.succeed("PUT", "", SnapshotTests.start)
        return daemon
    }

    @Test
    func `a snapshot is taken, read back as a whole and in part, and restored as one version`()
        throws
    {
        let daemon = try fruits()
        let taken = try daemon.menu(
            "PUT", "/snapshots/Backup%20Results", nil, ["Versiond-Actor": "ada"])
        #expect(try taken.status == 201 && taken.json["change"]?["kind"] == "snapshot")
        try daemon.succeed(
            "PATCH", "", #"{"rank1":"Banana","rank2":"Apple","new":true}"#, LocalDaemon.merge)
        let back = try daemon.menu("GET", "/snapshots/Backup%20Results").json
        #expect(
            try back["value"] == JSON(parsing: SnapshotTests.start) && back["revision"] == 1
                && back["actor"] == "ada")
        #expect(try daemon.menu("GET", "/snapshots/Backup%20Results?path=/rank1").json == "Apple")
        let text = try daemon.menu(
            "GET", "/snapshots/Backup%20Results?path=/judges/1", nil, ["Accept": "text/plain"])
        #expect(String(decoding: text.body, as: UTF8.self) == "2\n")
        #expect(
            try daemon.menu("GET", "?at=snapshot:Backup%20Results").json
                == JSON(parsing: SnapshotTests.start))
        #expect(
            try daemon.menu("GET", "/diff?from=snapshot:Backup%20Results").json["patch"]?.count == 3
        )
        let restored = try daemon.menu("POST", "/snapshots/Backup%20Results/restore")
        #expect(
            try restored.json["change"]?["kind"] == "restore" && restored.json["patch"]?.count == 3)
        #expect(try daemon.value() == JSON(parsing: SnapshotTests.start))
        #expect(
            try daemon.menu("POST", "/snapshots/Backup%20Results/restore").json["change"] == .null)
        try daemon.undo()
        #expect(try daemon.value()["rank1"] == "Banana")
    }

    @Test func `a snapshot of chosen places puts back only these, and removes what was not there`()
        throws
    {
        let daemon = try fruits()
        try daemon.succeed("PUT", "/snapshots/part", #"{"paths":["/rank1","/judges/0","/later"]}"#)
        try daemon.put(#"{"rank1":"Fig","rank2":"Kiwi","judges":[9],"later":1}"#)
        let part = try daemon.menu("GET", "/snapshots/part").json
        #expect(part["paths"] == ["/rank1", "/judges/0", "/later"])
        #expect(part["values"] == ["/rank1": "Apple", "/judges/0": 1])
        #expect(try daemon.menu("GET", "/snapshots/part?path=/rank2").code == "unknown-value")
        try daemon.succeed("POST", "/snapshots/part/restore")
        #expect(try daemon.value() == ["rank1": "Apple", "rank2": "Kiwi", "judges": [1]])
        try daemon.put("[]")
        let refused = try daemon.menu("POST", "/snapshots/part/restore")
        #expect(refused.status == 409 && refused.code == "conflict")
        #expect(try daemon.value() == [])
    }

    @Test(arguments: [
        (#"{"l":["x","y"]}"#, #"["/l","/l/0"]"#, #"{"l":[]}"#, #"{"l":["x","y"]}"#),
        (#"{"l":[]}"#, #"["/l/0","/l/1"]"#, #"{"l":["a","b"]}"#, #"{"l":["a","b"]}"#),
        (#"{"l":["a","b"]}"#, #"["/l/0","/l/1"]"#, #"{"l":[]}"#, #"{"l":["a","b"]}"#),
        (
            #"{"l":["a"]}"#, #"["/l/0","/l/10","/l/9"]"#, #"{"l":[0,1,2,3,4,5,6,7,8,9,10]}"#,
            #"{"l":["a",1,2,3,4,5,6,7,8,9,10]}"#
        ),
    ])
    func `places in one array are put back together`(
        before: String, paths: String, now: String, after: String
    ) throws {
        let daemon = try LocalDaemon()
        try daemon.succeed("PUT", "", before)
        try daemon.succeed("PUT", "/snapshots/s", "{\"paths\":\(paths)}")
        try daemon.succeed("PUT", "", now)
        try daemon.succeed("POST", "/snapshots/s/restore")
        #expect(try daemon.menu("GET").text == after + "\n")
    }

    @Test func `snapshots are listed, replaced, only made if asked so, and deleted`() throws {
        let daemon = try fruits()
        for key in ["b", "a"] { try daemon.succeed("PUT", "/snapshots/\(key)") }
        #expect(
            try daemon.menu("GET", "/snapshots").json["snapshots"]?.elements?.map { $0["snapshot"] }
                == ["a", "b"])
        #expect(
            try daemon.menu("PUT", "/snapshots/a", nil, ["If-None-Match": "*"]).code
                == "snapshot-exists")
        #expect(
            try daemon.menu("PUT", "/snapshots/a").json["change"] == .null,
            "the same again is nothing new")
        try daemon.put("1")
        try daemon.succeed("PUT", "/snapshots/a")
        #expect(try daemon.menu("GET", "/snapshots/a").json["value"] == 1)
        #expect(try daemon.menu("DELETE", "/snapshots/a").status == 200)
        for (method, rest) in [("GET", ""), ("DELETE", ""), ("POST", "/restore")] {
            #expect(try daemon.menu(method, "/snapshots/a\(rest)").code == "unknown-snapshot")
        }
        #expect(try daemon.menu("GET", "?at=snapshot:a").code == "unknown-snapshot")
    }

    @Test(arguments: [
        #"{"paths":[]}"#, #"{"paths":"/a"}"#, #"{"paths":["a"]}"#, #"{"paths":[1]}"#,
        #"{"path":["/a"]}"#,
    ])
    func `what is no list of places is refused`(body: String) throws {
        #expect(try fruits().menu("PUT", "/snapshots/x", body).code == "malformed-request")
    }

    @Test func `a document has only so many snapshots`() throws {
        let daemon = try fruits()
        for number in 0..<Snapshot.countMax { try daemon.succeed("PUT", "/snapshots/\(number)") }
        #expect(try daemon.menu("PUT", "/snapshots/more").code == "too-many-snapshots")
        #expect(try daemon.menu("PUT", "/snapshots/0").status == 200)
    }
}
