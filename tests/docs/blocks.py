"""Code blocks: each one names its language, and the program that reads this language accepts it."""
import json
import pathlib
import re
import sys

import yaml

sys.path.append(str(pathlib.Path(__file__).parents[1] / "recipes"))
import extract  # noqa: E402


def frame(text):
    """Completes a fragment of a configuration. docs/README.md documents this frame."""
    data = yaml.safe_load(text)
    if isinstance(data, list):
        text = "routes:\n" + "".join(f"  {line}\n" for line in text.splitlines())
        data = {"routes": data}
    upstreams = list(data["upstreams"]) if "upstreams" in data else sorted(named_upstreams(data)) or ["app"]
    parts = {
        "listen": '[{ address: "127.0.0.1:0" }]',
        "upstreams": "{ " + ", ".join(f'{name}: {{ url: "http://127.0.0.1:8000" }}' for name in upstreams) + " }",
        "defaults": f"{{ upstream: {upstreams[0]} }}",
        "routes": "[{ prefix: /, queue: app }]",
    }
    return text + "".join(f"{key}: {value}\n" for key, value in parts.items() if key not in data)


def named_upstreams(data):
    if isinstance(data, dict):
        own = {data["upstream"]} if isinstance(data.get("upstream"), str) else set()
        return own.union(*map(named_upstreams, data.values()))
    return set().union(*map(named_upstreams, data)) if isinstance(data, list) else set()


def is_yaml(text):
    try:
        list(yaml.safe_load_all(text))
    except yaml.YAMLError as error:
        return str(error)
    return None


def is_json(text):
    try:
        json.loads(text)
    except ValueError as error:
        return str(error)
    return None


def fragment(tools, text):
    return is_yaml(text) or tools.check_config(frame(text))


def session(tools, text):
    """The commands of a console session, without their output."""
    return tools.check_shell("".join(line[2:] + "\n" for line in text.splitlines() if line.startswith("$ ")))


JUDGES = {
    "yaml": lambda tools, text: tools.check_config(text),
    "yaml fragment": fragment,
    "yaml other": lambda tools, text: is_yaml(text),
    "json": lambda tools, text: is_json(text),
    "nginx": lambda tools, text: tools.check_nginx(text),
    "apache": lambda tools, text: tools.check_apache(text),
    "ini pool": lambda tools, text: tools.check_fpm_pool(text),
    "php": lambda tools, text: tools.check_php(text),
    "ini systemd": lambda tools, text: tools.check_systemd(text),
    "sh": lambda tools, text: tools.check_shell(text),
    "console": session,
    "text": lambda tools, text: None,
}


# `./dev fresh --recipes` executes these pages step by step.
RECIPES = {"docs/recipes/apache.md": (), "docs/recipes/nginx.md": (), "docs/recipes/php-fpm.md": (),
           "docs/recipes/wordpress.md": ("Install ticketgate", "nginx with php-fpm", "Apache with mod_php",
                                         "php-fpm, with nginx for files", "WordPress", "Start"),
           "README.md": ("Ten minutes to a safe application", "Apache with mod_php", "php-fpm without a web server",
                         "nginx with php-fpm", "Check, start, look")}


def steps(site, tools):
    """Each block of a recipe is a command, or the text above it names the file to write it to."""
    for name, sections in RECIPES.items():
        if name not in site.pages:
            continue
        try:
            found = list(extract.steps(site.pages[name], sections))
        except ValueError as error:
            yield error.args
        else:
            if not found and name != "README.md":
                yield name, 1, "a recipe without a step"


def quickstart(site, tools):
    """The first configuration in the README equals the file that its commands copy."""
    shipped = site.root / "config" / "quickstart.yaml"
    shown = next((block for block in site.pages["README.md"].blocks if block.info == "yaml"), None)
    if not shipped.is_file():
        return
    if not shown or yaml.safe_load(shown.text) != yaml.safe_load(shipped.read_text(encoding="utf-8")):
        yield "README.md", shown.line if shown else 1, "the first yaml block is not config/quickstart.yaml"


def blocks(site, tools):
    """Every code block passes the check of the program that reads it."""
    for page in site.documentation():
        for block in page.blocks:
            if block.info not in JUDGES:
                yield page.path, block.line, f"a block of '{block.info}': one of {', '.join(JUDGES)}"
            elif problem := JUDGES[block.info](tools, block.text):
                yield page.path, block.line, f"{block.info}: " + re.sub(r"\s*\n\s*", " | ", problem)
