"""Lists and figures on the pages equal those in their source files, if the tree has these files."""
import re

HEADERS = "lib/config/proxy_headers.cpp"
HEADER_LISTS = {"addresses": "docs/recipes/behind-another-proxy.md", "paths": "docs/configuration.md"}
MEASURED = ("loadtest/RESULTS.md", "loadtest/torture/README.md")


def text_of(site, name):
    path = site.root / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def header_lists(site, tools):
    """The quoted lists behind `[default]` of clients.address_headers and clients.path_headers equal the program's."""
    for array, name in HEADER_LISTS.items():
        found = re.search(rf"\b{array}\{{(.*?)\}};", text_of(site, HEADERS), re.S)
        page = site.pages.get(name)
        if not found or not page:
            continue
        built_in = set(re.findall(r'"([^"]+)"', found[1]))
        quoted = [(number, line) for number, line in page.prose if line.startswith(">")]
        shown = set(re.findall(r"`([^`]+)`", " ".join(line for _, line in quoted)))
        if built_in != shown:
            yield (name, quoted[0][0] if quoted else 1,
                   f"{HEADERS} has other headers: {', '.join(sorted(built_in ^ shown))}")


def container(site, tools):
    """docs/operations.md lists every variable of the image's configuration."""
    page = site.pages.get("docs/operations.md")
    named = {text for _, text in page.spans} if page else set()
    for variable in sorted(set(re.findall(r"\$\{([A-Z_]+)", text_of(site, "deploy/ticketgate.yaml")))):
        if page and variable not in named:
            yield page.path, 1, f"does not name the image's variable {variable}"


def figures(site, tools):
    """Every figure in the tables of docs/comparison.md is in the results file that it comes from."""
    page = site.pages.get("docs/comparison.md")
    measured = set(re.findall(r"\d+(?:\.\d+)?", "".join(text_of(site, name) for name in MEASURED)))
    for table in page.tables if page and measured else ():
        for line, cells in table.rows:
            for figure in re.findall(r"\d[\d,]*(?:\.\d+)?", " ".join(cells[1:])):
                if figure.replace(",", "") not in measured:
                    yield page.path, line, f"{figure} is in none of {', '.join(MEASURED)}: take the later run's figures"
