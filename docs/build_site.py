#!/usr/bin/python3
"""Builds the guide from its Markdown: build_site.py DIRECTORY. Needs Debian's python3-markdown-it and nothing else.

Every page of PAGES becomes a page of the site with the same name, every file of the tree that a page links to a page that
shows it. The site has no script and loads nothing from elsewhere, so that it reads the same from a disk."""
import html
import os
import posixpath
import re
import shlex
import shutil
import sys

from markdown_it import MarkdownIt
from markdown_it.token import Token

DOCS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(DOCS)

# Chapters of the sidebar, and their pages in the order in which they are read; paths as in the tree.
PAGES = [
    ("Start", ["docs/index.md", "docs/python.md"]),
    ("Use", ["docs/problem-files.md", "docs/reference.md", "docs/choosing.md", "docs/learning.md", "docs/solvers.md",
             "docs/runs.md", "docs/policies.md", "docs/report.md"]),
    ("Believe", ["docs/claims.md", "docs/verify.md"]),
    ("Bring your own", ["docs/bring-your-own.md", "docs/python-environments.md", "docs/command-oracle.md", "docs/library.md", "docs/datasets.md"]),
    ("Compare", ["docs/experiments.md", "docs/reproducing.md"]),
    ("Grow", ["docs/scale.md"]),
    ("Build", ["docs/layout.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]

STYLE = os.path.join(DOCS, "site.css")


class SiteError(Exception):
    pass


def slug(text):
    """The anchor of a heading, as GitHub names it."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def plain(inline):
    return "".join(child.content for child in inline.children if child.type in ("text", "code_inline"))


class Page:
    def __init__(self, path):
        self.path = path
        self.output = os.path.splitext(posixpath.basename(path))[0].lower() + ".html"
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            self.tokens = MarkdownIt("commonmark", {"html": False}).enable("table").parse(file.read())
        self.headings = []  # (level, anchor, text)
        taken = {}
        for token, inline in zip(self.tokens, self.tokens[1:]):
            if token.type != "heading_open":
                continue
            anchor = slug(plain(inline))
            taken[anchor] = taken.get(anchor, -1) + 1
            if taken[anchor]:
                anchor += f"-{taken[anchor]}"
            token.attrSet("id", anchor)
            self.headings.append((int(token.tag[1]), anchor, plain(inline)))
        if not self.headings or self.headings[0][0] != 1:
            raise SiteError(f"{path}: does not begin with a title")
        self.title = self.headings[0][2]

    @property
    def anchors(self):
        return {anchor for _, anchor, _ in self.headings}


class Site:
    def __init__(self, directory):
        self.directory = directory
        self.pages = {path: Page(path) for _, paths in PAGES for path in paths}
        left_out = {f"docs/{name}" for name in os.listdir(DOCS) if name.endswith(".md")} - self.pages.keys()
        if left_out:
            raise SiteError(f"{', '.join(sorted(left_out))}: no page of the site (PAGES in docs/build_site.py)")
        self.files = {}  # of the tree, that pages link to: path -> page of the site

    def address(self, page, link):
        """Where a link of a page leads in the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path)) if path else page.path
        if target in self.pages:
            if anchor and anchor not in self.pages[target].anchors:
                raise SiteError(f"{page.path}: links to {link}, but {target} has no such heading")
            return self.pages[target].output * bool(path) + f"#{anchor}" * bool(anchor)
        if not os.path.exists(os.path.join(ROOT, target)) or target.startswith(".."):
            raise SiteError(f"{page.path}: links to {link}, which is not there")
        if os.path.isdir(os.path.join(ROOT, target)):
            raise SiteError(f"{page.path}: links to {link}, a directory; link to a file in it")
        self.files[target] = "files/" + target.replace("/", "-") + ".html"
        return self.files[target]

    def image(self, page, source):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), source))
        if not path.startswith("docs/images/") or not os.path.isfile(os.path.join(ROOT, path)):
            raise SiteError(f"{page.path}: shows {source}, which is not in docs/images")
        return "images/" + path.removeprefix("docs/images/")

    def body(self, page):
        tokens = []
        for token in page.tokens:
            if token.type == "inline":
                for child in token.children:
                    if child.type == "link_open":
                        child.attrSet("href", self.address(page, child.attrGet("href")))
                    if child.type == "image":
                        child.attrSet("src", self.image(page, child.attrGet("src")))
            if token.type == "fence":
                token = html_token(fence(token))
            if token.type == "table_open":  # one too wide scrolls by itself, with the keyboard, too
                tokens.append(html_token('<div class="wide" tabindex="0" role="group" aria-label="table">'))
            tokens.append(token)
            if token.type == "table_close":
                tokens.append(html_token("</div>\n"))
        markdown = MarkdownIt("commonmark").enable("table")
        # A column whose entries speak for themselves has no heading, not an empty one.
        return markdown.renderer.render(tokens, markdown.options, {}).replace("<th></th>", "<td></td>")

    def sidebar(self, here, up=""):
        lines = []
        for chapter, paths in PAGES:
            lines.append(f"<p>{chapter}</p>\n<ul>")
            for page in (self.pages[path] for path in paths):
                current = ' aria-current="page"' if page is here else ""
                lines.append(f'<li><a href="{up}{page.output}"{current}>{html.escape(page.title)}</a>')
                below = [heading for heading in page.headings if heading[0] == 2]
                if page is here and below:
                    lines.append("<ul>")
                    lines += [f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for _, anchor, text in below]
                    lines.append("</ul>")
                lines.append("</li>")
            lines.append("</ul>")
        return "\n".join(lines)

    def write(self, output, title, sidebar, body):
        up = "../" * output.count("/")
        text = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)} · c2rl</title>
<link rel="stylesheet" href="{up}site.css">
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header><a href="{up}index.html">c2rl</a> <span>convex-constrained reinforcement learning</span>
<a class="to-pages" href="#pages">Pages</a></header>
<main id="content">
{body}</main>
<nav id="pages" aria-label="Pages">
{sidebar}
</nav>
</body>
</html>
"""
        path = os.path.join(self.directory, output)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def build(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        order = list(self.pages.values())
        for number, page in enumerate(order):
            turns = []
            if number > 0:
                turns.append(f'<a rel="prev" href="{order[number - 1].output}">← {html.escape(order[number - 1].title)}</a>')
            if number + 1 < len(order):
                turns.append(f'<a rel="next" href="{order[number + 1].output}">{html.escape(order[number + 1].title)} →</a>')
            turning = f'<footer>{" ".join(turns)}</footer>\n'
            self.write(page.output, page.title, self.sidebar(page), self.body(page) + turning)
        for path, output in self.files.items():
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = html.escape(file.read())
            self.write(output, path, self.sidebar(None, "../"),
                       f'<h1>{html.escape(path)}</h1>\n<pre tabindex="0"><code>{text}</code></pre>\n')
        shutil.copy(STYLE, self.directory)
        if os.path.isdir(os.path.join(DOCS, "images")):
            shutil.copytree(os.path.join(DOCS, "images"), os.path.join(self.directory, "images"))


def html_token(content):
    return Token("html_block", "", 0, content=content)


def fence(token):
    """A block of code. What is typed in a session stands out from what comes back; what the tests do not run says so."""
    language, *marks = shlex.split(token.info) or ["text"]
    lines = html.escape(token.content, quote=False).rstrip("\n").split("\n")
    if language == "console":
        continued = False
        for i, line in enumerate(lines):
            if line.startswith("$ ") or continued:
                continued = line.endswith("\\")
                lines[i] = f"<b>{line}</b>"
    values = dict(mark.partition("=")[::2] for mark in marks)
    caption = f"<figcaption>{html.escape(values['file'])}</figcaption>" if "file" in values else ""
    note = ""
    if "not-run" in values:
        note = '<p class="note">Not run by the tests.</p>'
    if "instead" in values:
        note = f'<p class="note">The tests run <code>{html.escape(values["instead"])}</code> in its place.</p>'
    code = "\n".join(lines)
    return f'<figure>{caption}<pre tabindex="0"><code class="{html.escape(language)}">{code}\n</code></pre>{note}</figure>\n'


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: build_site.py DIRECTORY")
    try:
        site = Site(sys.argv[1])
        site.build()
    except SiteError as error:
        sys.exit(str(error))
    print(f"{len(site.pages)} pages in {sys.argv[1]}; begin with index.html")


if __name__ == "__main__":
    main()
