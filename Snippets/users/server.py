#!/usr/bin/env python3
"""Notes for many people: this back end knows who they are, versiond keeps what they write.

  (umask 077; openssl rand -hex 32 > notes.key)
  versiond token issuer add --name notes --algorithm HS256 --key notes.key --prefix notes/ --max-age 10m
  VERSIOND_ORIGINS=http://localhost:8000 versiond --tokens tokens.json
  NOTES_KEY=notes.key python3 server.py
"""
import base64, hashlib, hmac, http.cookies, http.server, json, os, re, secrets, time, urllib.parse

DAEMON = os.environ.get("VERSIOND", "http://localhost:8080")
SECRET = open(os.environ["NOTES_KEY"], "rb").read().rstrip()
LIFE = int(os.environ.get("LIFE", "600"))
people = {}  # who is logged in, by the cookie; an application of yours has this already

PAGE = """<!doctype html><title>Notes</title><textarea disabled></textarea>
<script type="module">
import { connect } from "DAEMON/client.js";
const token = async () => (await fetch("/token", { method: "POST" })).text();
const note = connect("DAEMON", { token }).document("notes/USER/note", { create: { text: "" } });
await note.ready;
const area = document.querySelector("textarea");
note.bindTextarea(area, "/text");
area.disabled = false;
</script>"""


def letters(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(user):
    """What the user may do until then: its own notes, and one that is everybody's."""
    now = int(time.time())
    head = {"alg": "HS256", "typ": "JWT"}
    claims = {"iss": "notes", "sub": user, "iat": now, "exp": now + LIFE, "jti": secrets.token_hex(8)}
    claims["versiond"] = {"prefix": f"notes/{user}/", "documents": ["notes/all"]}
    signed = ".".join(letters(json.dumps(part).encode()) for part in (head, claims))
    return signed + "." + letters(hmac.digest(SECRET, signed.encode(), hashlib.sha256))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def user(self):
        cookie = http.cookies.SimpleCookie(self.headers.get("Cookie", "")).get("session")
        return people.get(cookie.value) if cookie else None

    def answer(self, status, text, *fields):
        self.send_response(status)
        for name, value in (("Content-Length", len(text.encode())), *fields):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        """/login?user=ada logs in; a real one asks for a password. / is the page."""
        path, _, query = self.path.partition("?")
        if path == "/login":
            session, user = secrets.token_hex(16), dict(urllib.parse.parse_qsl(query)).get("user", "")
            if not re.fullmatch("[a-z0-9-]{1,40}", user):  # it becomes part of names of documents
                return self.answer(400, "a user is letters and digits")
            people[session] = user
            cookie = f"session={session}; HttpOnly; SameSite=Strict"
            return self.answer(303, "", ("Location", "/"), ("Set-Cookie", cookie))
        if not self.user():
            return self.answer(401, "log in first: /login?user=ada")
        page = PAGE.replace("DAEMON", DAEMON).replace("USER", self.user())
        self.answer(200, page, ("Content-Type", "text/html; charset=utf-8"))

    def do_POST(self):
        user = self.user()
        self.answer(200, token(user)) if user else self.answer(401, "log in first")

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Handler).serve_forever()
