"""Names: commands, options, verbs of ./dev, metrics, settings with their defaults, pages of the admin listener."""
import json
import re

COMMAND = re.compile(r"(?:^|[\s|;&(])ticketgate(?=\s|$)([^|;&#)]*)")


def commands(site, tools):
    """Every `ticketgate SUBCOMMAND --option` exists."""
    for page in site.documentation():
        for line, text in page.commands:
            for rest in COMMAND.findall(text):
                words = re.split(r"\s{2,}", rest.strip())[0].split()
                for problem in wrong_words(tools, [word.strip("[],.") for word in words]):
                    yield page.path, line, f"ticketgate{rest}: {problem}"


def wrong_words(tools, words):
    path = []
    for word in words:
        if word.startswith("-"):
            if not has_option(tools.help(*path) + tools.help(), word.split("=")[0]):
                yield f"no option {word}"
        elif re.fullmatch(r"[a-z]+", word) and (not path or word in subcommands(tools.help(*path))):
            if word not in subcommands(tools.help(*path)):
                yield f"no subcommand {word}"
                return
            path.append(word)


def subcommands(text):
    return re.findall(r"^  ([a-z]+)\b", text.partition("Subcommands:")[2], re.M)


def has_option(text, option):
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


def options(site, tools):
    """Every option that is named without a command belongs to ticketgate or to a tool of ./dev."""
    known = tools.help() + "".join(tools.help(word) for word in subcommands(tools.help())) + tools.help("id", "decode")
    for script in ("loadtest/torture/run.sh", "deploy/demo/demo.sh", "dev"):
        known += (site.root / script).read_text() if (site.root / script).is_file() else ""
    for page in site.documentation():
        for line, text in page.spans:
            if (found := re.match(r"(--[a-z][\w-]*|-[a-z])(?=$|[ =])", text)) and not has_option(known, found[1]):
                yield page.path, line, f"no program of ours has {found[1]}"


def verbs(site, tools):
    """Every verb of ./dev exists."""
    script = site.root / "dev"
    known = re.findall(r"^run_([a-z-]+)\(\)", script.read_text(), re.M) if script.is_file() else []
    for page in site.documentation():
        for line, text in page.commands:
            for verb in re.findall(r"\./dev ([a-z][a-z-]*)", text):
                if verb not in known:
                    yield page.path, line, f"./dev has no verb {verb}"


def metrics(site, tools):
    """Every metric on the pages is on /metrics with these labels."""
    for page in site.documentation():
        for line, text in page.code:
            for name, labels in re.findall(r"\b(ticketgate_[a-z_]*[a-z])\b(?:\{([a-z_,]*)\})?", text):
                family = re.sub(r"_(bucket|sum|count)$", "", name)
                known = tools.metrics.get(name, tools.metrics.get(family))
                if known is None:
                    yield page.path, line, f"/metrics has no {name}"
                elif unknown := set(filter(None, labels.split(","))) - known:
                    yield page.path, line, f"{name} has no label {', '.join(sorted(unknown))}"


def documented(site, tools):
    """docs/operations.md lists every metric of a running ticketgate and every field of its access log."""
    page = site.pages.get("docs/operations.md")
    if not page:
        return
    text = " ".join(text for _, text in page.spans)
    for name in tools.metrics:
        if name.startswith("ticketgate_") and not re.search(rf"\b{name}\b", text):
            yield page.path, 1, f"does not name the metric {name}"
    for name in tools.log_fields:
        if not re.search(rf"(^|\s){name}($|\s)", text):
            yield page.path, 1, f"does not name the field {name} of the access log"


def admin_pages(site, tools):
    """Every page of the admin listener that changes nothing answers 200 to a GET."""
    for page in site.documentation():
        for line, text in page.spans:
            if found := re.fullmatch(r"(?:GET )?(/(?:livez|readyz|metrics)|/api/v1/\S+\?\S+)", text):
                status = tools.ask(found[1])[0]
                if status != 200:
                    yield page.path, line, f"GET {found[1]}: {status}"


def paths(schema):
    """The path of every setting, with * for a name, and its default."""
    found = {}
    visit(schema, schema, (), (), found)
    return found


def visit(schema, node, path, inside, found):
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        if name in inside:
            return
        visit(schema, schema["$defs"][name], path, (*inside, name), found)
    for name, child in node.get("properties", {}).items():
        found[(*path, name)] = child.get("default", found.get((*path, name)))
        visit(schema, child, (*path, name), inside, found)
    if isinstance(node.get("additionalProperties"), dict):
        visit(schema, node["additionalProperties"], (*path, "*"), inside, found)
    for child in [node["items"]] if "items" in node else node.get("anyOf", []):
        visit(schema, child, path, inside, found)


def matching(known, name, under=()):
    """The settings that a name on a page may mean: those that end in this name."""
    words = tuple(name.split("."))
    if under:
        return [path for path in known if path == (*under, *words)]
    return [path for path in known if path[-len(words):] == words]


def settings(site, tools):
    """Every setting in a table with the column `setting` is in the schema with the same default."""
    known = paths(tools.schema)
    for page in site.documentation():
        for table in page.tables:
            if not table.header or not table.header[0].startswith("setting"):
                continue
            under = re.search(r"under `([^`]+)`", table.header[0])
            place = tuple(re.sub(r"^[A-Z]+$", "*", word) for word in re.findall(r"\w+", under[1])) if under else ()
            at = table.header.index("default") if "default" in table.header else None
            for line, cells in table.rows:
                for problem in wrong_settings(known, cells, place, at):
                    yield page.path, line, problem


def wrong_settings(known, cells, place, at):
    names = re.findall(r"`([^`]+)`", cells[0])
    values = [value.split()[0].strip("`,;") for value in cells[at].split(", ")] if at else []
    for number, name in enumerate(names):
        found = matching(known, name, place)
        if not found:
            yield f"the schema has no setting {name}"
        elif at and len(names) == len(values) or at and len(names) == 1:
            defaults = [known[path] for path in found]
            plain = [value if isinstance(value, str) else json.dumps(value) for value in defaults
                     if isinstance(value, (str, int, bool))]
            if plain and values[number] not in plain:
                yield f"the default of {name} is {' or '.join(sorted(set(plain)))}, not {values[number]}"


def named_settings(site, tools):
    """Every `section.setting` in the text is in the schema."""
    known = paths(tools.schema)
    sections = "|".join(sorted({path[0] for path in known}))
    for page in site.documentation():
        for line, text in page.spans:
            if found := re.match(rf"((?:{sections})(?:\.[a-z_*]+)+)(?=$|[: ])", text):
                if tuple(found[1].split(".")) not in known:
                    yield page.path, line, f"the schema has no setting {found[1]}"
