"""The targets of links and the files that a page names exist."""
import os
import re

# Generated pages; a link to one is valid even if the page does not exist yet.
GENERATED = {"docs/reference.md"}
# Names in the map of the code: module/file, Class::member.
MODULE_FILE = re.compile(r"[a-z]+(?:/[a-z_0-9]+)+(?:\.[a-z]+)?")
MEMBER = re.compile(r"(?:\w+::)*([A-Z]\w*)::(~?\w+)(?:\(\))?")
FILE = re.compile(r"(?:\./)?((?:cmd|config|deploy|docs|lib|loadtest|tests)/[\w./*{},-]*\w\*?)/?$")


def links(site, tools):
    """The target of every relative link and every #anchor exists."""
    for page in site.pages.values():
        for line, target in page.links:
            if re.match(r"[a-z]+:", target):
                continue
            place, _, anchor = target.partition("#")
            name = os.path.normpath(os.path.join(os.path.dirname(page.path), place)) if place else page.path
            if not (site.root / name).exists():
                if name not in GENERATED:
                    yield page.path, line, f"the link {target} leads to no file"
                continue
            if (site.root / name).is_dir():
                yield page.path, line, f"the link {target} leads to a folder: link to a page in it"
            elif anchor and (name not in site.pages or anchor not in site.pages[name].anchors):
                yield page.path, line, f"{name} has no heading for #{anchor}"


def files(site, tools):
    """Every file of this repository that a page names exists."""
    for page in site.documentation():
        for line, text in page.spans:
            match = FILE.match(text)
            if match and match[1] not in GENERATED and not exists(site.root, match[1]):
                yield page.path, line, f"there is no {match[1]}"


def exists(root, name):
    """Whether a file or folder exists. Sources may be named without .hpp or .cpp."""
    return any(True for _ in root.glob(name)) or name.startswith("lib/") and (root / f"{name}.hpp").is_file()


def reachable(site, tools):
    """Every page for users can be reached from the README."""
    seen, pending = set(), ["README.md"]
    while pending:
        name = pending.pop()
        if name in seen or name not in site.pages:
            continue
        seen.add(name)
        for _, target in site.pages[name].links:
            if not re.match(r"[a-z]+:|#", target):
                pending.append(os.path.normpath(os.path.join(os.path.dirname(name), target.partition("#")[0])))
    for page in site.documentation():
        if page.path not in seen:
            yield page.path, 1, "no page that the README leads to has a link to this page"


def code_map(site, tools):
    """Every file and every Class::member that lib/README.md names exists."""
    page = site.pages.get("lib/README.md")
    sources = [path.read_text(encoding="utf-8") for path in sorted((site.root / "lib").rglob("*.[ch]pp"))]
    for line, text in page.spans if page else ():
        if MODULE_FILE.fullmatch(text):
            places = [site.root / top / (text + end)
                      for top in ("lib", "tests", ".") for end in ("", ".hpp", ".cpp", ".py")]
            if not any(place.exists() for place in places):
                yield page.path, line, f"there is no {text} under lib/ or tests/"
        elif (found := MEMBER.fullmatch(text)) and not any(has_member(one, *found.groups()) for one in sources):
            yield page.path, line, f"lib/ has no {text}"


def has_member(source, owner, member):
    declares = re.search(rf"\b(?:class|struct) {owner}\b", source) and re.search(rf"(?<!\w){member}\b", source)
    return declares or f"{owner}::{member}" in source
