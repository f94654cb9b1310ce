#!/usr/bin/python3
"""The guide builds, and its pages hold together: docs_site.py SOURCE DIRECTORY.

Read by a parser of its own: every address leads to a file and, behind #, to an id that are there; nothing is loaded from
elsewhere; every page has one title, a language, one main part, and images with texts. README's links lead somewhere, too."""
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class PageReader(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded, self.tags, self.wrong = set(), [], [], [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())
        for tag in ("title", "h1", "main", "nav"):
            if self.tags.count(tag) != 1:
                self.wrong.append(f"has {self.tags.count(tag)} <{tag}>, expected 1")
        if "script" in self.tags:
            self.wrong.append("has a script")

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.append(tag)
        if "id" in values:
            if values["id"] in self.ids:
                self.wrong.append(f"has two of id {values['id']}")
            self.ids.add(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        if tag in ("img", "link", "script"):
            self.loaded.append(values.get("src") or values.get("href"))
        if tag == "img" and not values.get("alt"):
            self.wrong.append(f"shows {values['src']} without a text")
        if tag == "html" and not values.get("lang"):
            self.wrong.append("has no language")


def problems_of(site):
    pages = {}
    for folder, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                pages[path] = PageReader(path)
    for path, page in pages.items():
        short = os.path.relpath(path, site)
        yield from (f"{short}: {what}" for what in page.wrong)
        for address in page.links + page.loaded:
            parts = urlsplit(address)
            if parts.scheme:
                if address in page.loaded or parts.scheme != "https":
                    yield f"{short}: {address} is elsewhere"
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            if not os.path.isfile(target):
                yield f"{short}: {address} is not there"
            elif parts.fragment and unquote(parts.fragment) not in pages[target].ids:
                yield f"{short}: {address}: no such place on that page"
    if len(pages) < 15:
        yield f"only {len(pages)} pages"


def problems_of_readme(source):
    with open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        for address in re.findall(r"\]\(([^)#]+)", file.read()):
            if not os.path.exists(os.path.join(source, address)):
                yield f"README.md: {address} is not there"


def main():
    source, site = sys.argv[1:]
    subprocess.run(["/usr/bin/python3", os.path.join(source, "docs/build_site.py"), site], check=True)
    problems = [*problems_of(site), *problems_of_readme(source)]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
