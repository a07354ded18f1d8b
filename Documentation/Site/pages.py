#!/usr/bin/env python3
"""Lays out the pages of the documentation site for its generator: pages.py FOLDER

The site has README.md, the index of the documentation, and each file that a page of the site links.
A folder that a page links becomes a page that lists its files. The order is that of the index.
The generator reads FOLDER/mkdocs.yml and FOLDER/pages; llms.txt lists the same pages with their tasks, and
llms-full.txt has those for users.
"""
import json
import posixpath
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README, INDEX = "README.md", "Documentation/README.md"
LOOK = ["Documentation/Site/site.css", "Documentation/Site/site.js", "Sources/VersiondWeb/Pages/icon.svg"]
LINK = re.compile(r'(\]\(|\b(?:src|srcset|href)=")([^)\s"#:]+)(?=[)"#\s])')
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]*)">\s*<img src="([^"]*)"([^>]*)>\s*</picture>')


def read(path):
    """The Markdown of a page; of a folder, a list of its files."""
    if not (ROOT / path).is_dir():
        return (ROOT / path).read_text(encoding="utf-8")
    files = sorted(file.relative_to(ROOT / path).as_posix() for file in (ROOT / path).rglob("*") if file.is_file())
    names = [title(f"{path}/{file}") if file.endswith(".md") else file for file in files]
    lines = [f"- [{name}]({file})" for name, file in zip(names, files)]
    return "\n".join([f"# {posixpath.basename(path)}", "", *lines, ""])


def target(page, link):
    """The file, or the folder, that a link of a page leads to."""
    folder = page if (ROOT / page).is_dir() else posixpath.dirname(page)
    path = posixpath.normpath(posixpath.join(folder, link))
    return f"{path}/README.md" if (ROOT / path / "README.md").exists() else path


def place(path):
    """Where a file is on the site."""
    if library := re.fullmatch(r"Sources/(\w+)/\w+\.docc/\1\.md", path):
        return f"Libraries/documentation/{library[1].lower()}/index.html"
    if path == INDEX:
        return "Contents.md"
    if path.startswith("Clients/"):
        # Not the index of a section: the theme merges such a page with its section.
        path = path.replace("/README.md", ".md")
    return path.removeprefix("Documentation/") + ("/README.md" if (ROOT / path).is_dir() else "")


def is_page(path):
    return place(path).endswith(".md")


def prose(text):
    """The parts of a page: text and code blocks in turn."""
    return re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)


def links(page):
    return [target(page, link[2]) for part in prose(read(page))[::2] for link in LINK.finditer(part)]


def collect():
    """Each file of the site."""
    found, waiting = {}, [README, INDEX, *LOOK]
    while waiting:
        path = waiting.pop(0)
        if path not in found and (ROOT / path).exists():
            found[path] = True
            waiting += links(path) if is_page(path) else []
    return found


def converted(page):
    """The text of a page with the addresses of the site, for a generator that is not GitHub."""
    here = posixpath.dirname(place(page)) or "."
    address = lambda link: link[1] + posixpath.relpath(place(target(page, link[2])), here)
    cell = lambda code: code[0].replace("\\|", "|")
    row = lambda line: re.sub(r"`[^`\n]*`", cell, line[0])
    parts = prose(read(page))
    for index in range(0, len(parts), 2):
        text = re.sub(r"^\|.*$", row, LINK.sub(address, parts[index]), flags=re.M)
        parts[index] = PICTURE.sub(r'<img src="\1#only-dark"\3><img src="\2#only-light"\3>', text)
    # A block for a file has the name of the file above it; other words after the language are for tests.
    head = lambda line: f"```{line[1]}" + (f' title="{line[2]}"' if line[2] else "")
    parts[1::2] = [re.sub(r"^```(\w+) (?:file=)?(\S+\.\w+)?.*", head, part) for part in parts[1::2]]
    # A search finds what users need before what contributors need.
    is_minor = place(page).startswith(("Project/", "CHANGELOG", "CONTRIBUTING", "ARCHITECTURE"))
    return "---\nsearch: {boost: 0.2}\n---\n" * is_minor + "".join(parts)


def title(page):
    return re.search(r"^# (.*)$", read(page), re.M)[1]


def contents():
    """The headings of the index; of each, its pages with the task that they are for."""
    for section in re.split(r"^## ", read(INDEX), flags=re.M)[1:]:
        rows = {}
        for task, cell in re.findall(r"^\| (.*?) \| (.*) \|$", section, re.M):
            rows |= {target(INDEX, link[2]): task for link in LINK.finditer(cell)}
        yield section.split("\n")[0].split(":")[0], rows


def entry(page):
    """A page in the navigation; with a page of a folder, those that it lists."""
    if not place(page).endswith("README.md") or page == README:
        return place(page)
    folder = posixpath.dirname(place(page))
    listed = [place(one) for one in links(page) if posixpath.dirname(place(one)) == folder and is_page(one)]
    return {title(page): [place(page), *listed]} if listed else place(page)


def unroot(libraries):
    """Makes the pages of DocC work in any folder of any server: it writes addresses from the root."""
    (libraries / "theme-settings.json").write_text("{}")
    for page in libraries.rglob("*.html"):
        up = "../" * (len(page.relative_to(libraries).parts) - 1) or "./"
        base = f'''history.replaceState(null, "", location.href.replace("index.html", ""))
            var baseUrl = new URL("{up}", location.href).pathname'''
        text = page.read_text(encoding="utf-8").replace('var baseUrl = "/"', base)
        page.write_text(re.sub(r'(href|src)="/', rf'\1="{up}', text), encoding="utf-8")


def main(folder):
    pages = folder / "pages"
    unroot(pages / "Libraries")
    for path in collect():
        copy = pages / place(path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if is_page(path):
            copy.write_text(converted(path), encoding="utf-8")
        elif not place(path).startswith("Libraries/"):
            shutil.copyfile(ROOT / path, copy)
    nav, full = [], []
    lines = ["# versiond", "", "> " + re.search(r"\*\*(.*)\*\*", read(README))[1]]
    for name, rows in contents():
        nav.append({name: [entry(page) for page in rows]})
        lines += ["", f"## {name}", ""]
        lines += [f"- [{title(page)}]({place(page)}): {task}" for page, task in rows.items()]
        full += [converted(page) for page in rows if name != "Project"]
    nav[0]["Start"].insert(1, place(INDEX))
    (pages / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (pages / "llms-full.txt").write_text("\n".join(full), encoding="utf-8")
    config = (ROOT / "Documentation/Site/mkdocs.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"{config}nav: {json.dumps(nav)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
