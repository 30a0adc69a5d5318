"""The rules. Each takes a Tree and yields (file, line, message); RULES names them all."""
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from source import Source

LAYERS = {
    "boost_impl": 0, "base": 0,
    "task": 1, "ids": 1, "queue": 1, "cluster": 1, "http": 1, "config": 1, "metrics": 1, "log": 1, "fcgi": 1, "files": 1, "top": 1, "trace": 1, "upgrade": 1,
    "net": 2,
    "gate": 3, "upstream": 3, "spawn": 3, "disk": 3, "etcd": 3,
    "proxy": 4, "replica": 4, "otlp": 4,
    "admin": 5, "noeq": 5,
    "app": 6,
}
# Modules of one layer do not include each other, with these exceptions.
SAME_LAYER = {("log", "ids"), ("config", "ids"), ("config", "files"), ("fcgi", "http"), ("files", "log"), ("trace", "log"), ("upstream", "spawn")}
COLUMNS = 100
# The most lines of a file and of a function. Larger ones that are still one thing are listed here.
LIB_FILE, OTHER_FILE, FUNCTION = 340, 420, 60
LARGE_FILES = {"tests/unit/config/problems_test.cpp": 520}
LARGE_FUNCTIONS = {"run_command_line": 75, "text": 100}  # tables, as code
BAD_NAMES = {"manager", "helper", "helpers", "util", "utils", "context"}
GUARDS = {"lock_guard", "scoped_lock", "unique_lock", "shared_lock"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


@dataclass
class Tree:
    root: Path

    @cached_property
    def sources(self):
        return [Source(path.relative_to(self.root), path.read_text(encoding="utf-8"))
                for top in ("lib", "cmd", "tests", "loadtest")
                for path in sorted((self.root / top).rglob("*.[ch]pp"))]

    @cached_property
    def scripts(self):
        """Path and text, comments blanked, of tests and of what they run; not of benchmarks."""
        tops = ("tests", "loadtest/peers", "loadtest/torture", "loadtest/slowhttp.py", "deploy")
        found = sorted(path for top in tops for path in [self.root / top, *(self.root / top).rglob("*")]
                       if path.suffix in (".py", ".sh") and path.is_file()
                       and path.parent != self.root / "tests" / "tidy")
        return [(path.relative_to(self.root),
                 re.sub(r"(^|\s)#[^\n]*", r"\1", path.read_text(encoding="utf-8"))) for path in found]

    @cached_property
    def cmake(self):
        return sorted(path for top in ("lib", "cmd", "tests", "loadtest")
                      for path in (self.root / top).rglob("CMakeLists.txt"))

    def headers(self):
        return [s for s in self.sources if s.path.suffix == ".hpp"]


def module_of(path):
    return path.parts[1] if path.parts[0] == "lib" and len(path.parts) > 2 else None


def includes(source):
    # Searches the raw text, because `code` has quoted names blanked.
    for number, line in enumerate(source.lines, 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1), match.group(2)


def layers(tree):
    """A file includes its own module and lower layers; nothing in lib/ includes app."""
    for source in tree.sources:
        own = module_of(source.path)
        if own is not None and own not in LAYERS:
            yield source.path, 1, f"module '{own}' has no layer (tests/tidy/rules.py)"
            continue
        for line, quote, name in includes(source):
            if own is None or quote == "<":
                continue
            if not any((tree.root / "lib" / (name + made)).is_file() for made in ("", ".in")):
                yield source.path, line, f'"{name}" is not a file under lib/'
                continue
            other = name.split("/")[0]
            if other == own or LAYERS.get(other, 99) < LAYERS[own] or (own, other) in SAME_LAYER:
                continue
            yield (source.path, line,
                   f"{own} (layer {LAYERS[own]}) includes {other} (layer {LAYERS.get(other, '?')})")


def purity(tree):
    """Layers 0 and 1 use no sockets. http may use Beast's parser, and log writes to its own descriptor."""
    for source in tree.sources:
        own = module_of(source.path)
        if own == "boost_impl" or LAYERS.get(own, 9) > 1:
            continue
        for line, _, name in includes(source):
            asio = name.startswith("boost/asio")
            beast = name.startswith("boost/beast") and own != "http"
            sockets = name in ("sys/socket.h", "sys/epoll.h", "netinet/in.h") and own != "log"
            if asio or beast or sockets:
                yield source.path, line, f"<{name}> in {own}, which is pure"


def await_traps(tree):
    """T1, T2: expressions with co_await that g++ 12 miscompiles (TOOLCHAIN 6). Name the argument first."""
    for source in tree.sources:
        seen = set()
        for at, token in enumerate(source.tokens):
            if token.text == "co_await":
                for line, message in await_problems(source, at):
                    if (line, message) not in seen:
                        seen.add((line, message))
                        yield source.path, line, message


def await_problems(source, at):
    tokens = source.tokens
    line = tokens[at].line
    braces = "braces in a full expression with co_await (T1): name the argument first"
    # Backwards to where the full expression begins, out of every call's parentheses.
    begin, end_paren = at, None
    while begin > 0:
        before = tokens[begin - 1]
        if before.text == ";":
            break
        if before.text in ")]}" and before.partner >= 0:
            if before.text == "}":
                opener = tokens[before.partner]
                if opener.block and source.lambda_start(before.partner) < 0:
                    break
                yield line, braces
                return
            begin = before.partner
        elif before.text == "{":
            if not before.block:
                yield line, braces
                return
            start = source.lambda_start(begin - 1)
            if start >= 0 and tokens[start].partner > start + 1:
                yield line, "a lambda coroutine with captures (T2): make it a named function"
            break
        elif before.text == "(" and source.is_control(begin - 1):
            end_paren = before.partner
            break
        else:
            begin -= 1
    # Forwards from there to the end of the statement or of the control parentheses.
    here = begin
    while here < len(tokens) and here != end_paren and tokens[here].text != ";":
        if tokens[here].text == "{":
            start = source.lambda_start(here)
            if start >= 0 and tokens[start].partner > start + 1:
                yield line, "lambda captures in a full expression with co_await (T1)"
            else:
                yield line, braces
            return
        here += 1


def locks(tree):
    """No lock is held across co_await."""
    for source in tree.sources:
        for at, token in enumerate(source.tokens):
            if token.text not in GUARDS:
                continue
            depth = 0
            for later in source.tokens[at:]:
                depth += {"{": 1, "}": -1}.get(later.text, 0)
                if depth < 0:
                    break
                if later.text == "co_await":
                    yield source.path, later.line, f"co_await inside the scope of a {token.text}"
                    break


BANNED = [
    (r"\bsleep_(for|until)\b|\bu?sleep\s*\(|\bnanosleep\b", ("lib", "cmd"),
     "sleeping: wait for a condition with a deadline"),
    (r"\bstd::regex\b|#\s*include\s*<regex>", ("lib", "cmd"), "std::regex: RE2 is linear"),
    (r"(?<![\w.:>])s?rand\s*\(|\bstd::s?rand\b", None, "rand(): use <random> or getrandom"),
    (r"\busing\s+namespace\b(?!\s+std::(chrono_|string_|string_view_)?literals\b)", "headers",
     "using namespace in a header (but for std's literals)"),
    (r"\bboost::asio::spawn\b|\bany_completion_executor\b", None, "see TOOLCHAIN T4"),
]


def banned(tree):
    """Calls for which this tree has a better function."""
    for source in tree.sources:
        for pattern, where, message in BANNED:
            if where == "headers" and source.path.suffix != ".hpp":
                continue
            if isinstance(where, tuple) and source.path.parts[0] not in where:
                continue
            for number, line in enumerate(source.code.splitlines(), 1):
                if re.search(pattern, line):
                    yield source.path, number, message


# Files whose tests may sleep, with the number of sleeps and the reason. All others wait for events: a
# time that is long enough on one machine is too short on a busy one.
SLEEPS = {
    "tests/support/patience.hpp": (3, "eventually() and still() between two looks; be_slow()"),
    "tests/real/real_test.py": (1, "wait_for() between two looks"),
    "loadtest/torture/loop.hpp": (2, "what dwell() and eventually() are made of"),
    "loadtest/torture/waiting.cpp": (2, "eventually() between two looks; dwell()"),
    "loadtest/torture/leaving.cpp": (1, "leave_grant comes near the grant on purpose, its verdict takes any"),
    "loadtest/torture/bench.cpp": (1, "await() between two looks; one pause that no verdict depends on"),
    "loadtest/peers/peers.sh": (1, "tg_look_again between two looks"),
    "tests/real/kept_test.py": (1, "clients that ask at the age at which a backend closes"),
    "loadtest/slowhttp.py": (1, "wait_for() between two looks"),
    "deploy/demo/servers.sh": (1, "wait_for between two looks"),
    "deploy/demo/cluster.sh": (2, "until_it between two looks; etcd's health"),
    "deploy/swap.sh": (1, "between two looks at the queue"),
    "tests/real/swap_test.py": (1, "an application that works for a while"),
    "tests/recipes/proof.sh": (1, "wait_for between two looks"),
    "tests/recipes/checks.py": (1, "until() between two looks"),
    "tests/recipes/application.py": (1, "a reload that changes who is trusted"),
    "tests/recipes/wordpress/drive.py": (1, "the pace of the visitor, a client that comes again"),
    "tests/recipes/dokuwiki/drive.py": (4, "PHP's look at changed files, whole seconds in a page's time, a script that is slow"),
    "deploy/image_check.sh": (1, "wait_for between two looks"),
    "deploy/package/check.sh": (1, "until_true between two looks"),
    "tests/package/unit_test.py": (1, "between two looks at the port, inside another network"),
}
# Tests whose clients or backends are slow on purpose: they test the time itself, or the time makes one
# of several correct outcomes more likely. They never sleep to wait for an event.
SLOW_ON_PURPOSE = {
    "tests/e2e/body_test.cpp": "parts of a body that come apart; whole or apart, the answer is the same",
    "tests/e2e/head_test.cpp": "the Date header goes on with the clock",
    "tests/e2e/limits_test.cpp": "a hold that Retry-After is computed from",
    "tests/e2e/max_connections_test.cpp": "connections that have lingered for long enough to be closed",
    "tests/e2e/operator_test.cpp": "holds that are measured; compared from below only",
    "tests/e2e/silent_backend_test.cpp": "backends that send now and then, or at their very deadline",
    "tests/e2e/speed_test.cpp": "a slow reader",
    "tests/e2e/tls_test.cpp": "a slow reader",
    "tests/unit/spawn/supervisor_test.cpp": "a control thread that is busy until a timer is due",
}
SLEEPING = re.compile(r"\bsleep_(for|until)\b|\bu?sleep\s*\(|\bnanosleep\b|\bp?poll\(nullptr|\bloop\.sleep")
SLEEPING_SCRIPT = re.compile(r"\btime\.sleep\b|^\s*sleep\s|[;&|(]\s*sleep\s|\bdo\s+sleep\s")


def waiting(tree):
    """Tests wait for events, not for times."""
    texts = [(s.path, s.code, SLEEPING) for s in tree.sources
             if s.path.parts[0] == "tests" or s.path.parts[:2] == ("loadtest", "torture")]
    texts += [(path, text, SLEEPING_SCRIPT) for path, text in tree.scripts]
    for path, text, pattern in texts:
        allowed, _ = SLEEPS.get(path.as_posix(), (0, ""))
        found = [n for n, line in enumerate(text.splitlines(), 1) if pattern.search(line)]
        for line in found[allowed:]:
            yield path, line, "a sleep: wait for the event with a deadline (support/patience.hpp; rules.py: SLEEPS)"
        if len(found) < allowed:
            yield path, 1, f"rules.py allows {allowed} sleeps here, there are {len(found)}"
        if path.parts[:2] != ("tests", "support") and path.as_posix() not in SLOW_ON_PURPOSE:
            for line in [n for n, line in enumerate(text.splitlines(), 1) if "be_slow(" in line]:
                yield path, line, "be_slow: who is slow on purpose stands in SLOW_ON_PURPOSE (rules.py)"


def words(name):
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def names(tree):
    """Words without meaning in names of files, types and namespaces."""
    for source in tree.sources:
        for part in source.path.parts:
            for word in words(part) & BAD_NAMES:
                yield source.path, 1, f"'{word}' in a file's name says nothing"
        tokens = source.tokens
        for at, token in enumerate(tokens[:-2]):
            if token.text not in ("class", "struct", "namespace"):
                continue
            declares = tokens[at + 2].text in ("{", ":", "::", "final")
            for word in words(tokens[at + 1].text) & BAD_NAMES if declares else ():
                yield source.path, token.line, f"'{word}' in a name says nothing"


def headers(tree):
    """A header has #pragma once, and in lib/ an opening comment that describes it."""
    for source in tree.headers():
        if "#pragma once" not in source.lines:
            yield source.path, 1, "no #pragma once"
        if source.path.parts[0] == "lib" and not source.text.startswith("//"):
            yield source.path, 1, "no opening comment: what it is, who owns it, which thread may call it"


def own_header(tree):
    """A.cpp includes A.hpp first, which shows that the header compiles alone. Headers without a .cpp are compiled by the
    preset tidy (cmake/module.cmake)."""
    paths = {s.path for s in tree.sources}
    for source in tree.sources:
        own = source.path.with_suffix(".hpp")
        if source.path.suffix == ".cpp" and source.path.parts[0] == "lib" and own in paths:
            line, *named = next(includes(source), (1,))
            name = own.relative_to("lib").as_posix()
            if name not in named:
                yield source.path, line, f"its first #include is not {name}"


def columns(tree):
    """A line has at most 100 columns."""
    for source in tree.sources:
        long = [number for number, line in enumerate(source.lines, 1) if len(line) > COLUMNS]
        if long:
            yield source.path, long[0], f"longer than {COLUMNS} columns: lines {', '.join(map(str, long))}"


def sizes(tree):
    """Files and functions have a largest size; larger ones do more than one thing."""
    for source in tree.sources:
        name = source.path.as_posix()
        most = LARGE_FILES.get(name, LIB_FILE if source.path.parts[0] == "lib" else OTHER_FILE)
        if len(source.lines) > most:
            yield source.path, 1, f"{len(source.lines)} lines; at most {most}"
        for function in source.functions:
            most = LARGE_FUNCTIONS.get(function.name, FUNCTION)
            if function.lines > most:
                yield source.path, function.line, f"{function.name} has {function.lines} lines; at most {most}"


def used(tree):
    """Every header is included: a header of lib/ by another source that ships, any other header by any source."""
    included, anywhere = {}, set()
    for source in tree.sources:
        for _, _, name in includes(source):
            anywhere.add(Path(name).name)
            if source.path.parts[0] in ("lib", "cmd"):
                included.setdefault(name, set()).add(source.path)
    for source in tree.headers():
        if source.path.parts[0] != "lib":
            if source.path.name not in anywhere:
                yield source.path, 1, "nothing includes it"
            continue
        name = source.path.relative_to("lib").as_posix()
        own = source.path.with_suffix(".cpp")
        if module_of(source.path) not in NOT_YET_USED and not included.get(name, set()) - {own}:
            yield source.path, 1, "nothing that ships includes it"


# Functions that the language or a library calls by name.
HOOKS = {"await_ready", "await_suspend", "await_resume", "initial_suspend", "final_suspend", "return_value",
         "return_void", "unhandled_exception", "get_return_object", "allocate", "deallocate",
         "make_error_code", "on_body_init_impl", "on_body_impl", "on_chunk_header_impl",
         "on_chunk_body_impl", "on_finish_impl"}
# Modules that are built and tested before the code that will use them, and the issue that brings it.
NOT_YET_USED: dict[str, int] = {}
# Functions for tests and tools only, and their purposes.
FOR_TESTS = {
    "end_lease": "a lease that ends early, as etcd may end one",
    "turn": "the simulation drives loops by hand",
    "next_deadline": "the simulation owns the clock",
    "environment_of": "variables that a test and a fuzz target make up",
    "encode_base32hex": "the plain way round, which ids take in words; decode_base32hex is held to it",
    "combinations": "the bound of the route cache",
    "on_disk": "the bound of a spool's memory",
    "entropy_failures": "a source that fails is asked once",
    "last_number": "numbers of a queue, beside the model of it",
    "mean_hold": "what Retry-After is computed from",
}
NO_TYPE = {"alignas", "decltype", "return", "co_return", "co_await", "co_yield", "else", "case", "new", "throw", "and", "or", "not"}


def declared(source):
    """Yields index and name of each probable function declaration: a name between a type and `(`."""
    tokens = source.tokens
    for at in range(1, len(tokens) - 1):
        name, before = tokens[at].text, tokens[at - 1].text
        typed = (before.isidentifier() and before not in NO_TYPE) or before in (">", "*", "&", "]")
        if tokens[at + 1].text == "(" and name.isidentifier() and typed and name not in NO_TYPE:
            yield at, name


def called(tree):
    """A function that a header of lib/ declares is called by code that ships.

    The check goes by name, so an unused function that shares its name with another one is not reported.
    """
    shipped = [s for s in tree.sources
               if s.path.parts[0] in ("lib", "cmd") and module_of(s.path) not in NOT_YET_USED]
    mentions = Counter(token.text for source in shipped for token in source.tokens)
    offers, places = Counter(), {}
    for source in shipped:
        if source.path.suffix == ".hpp":
            for at, name in declared(source):
                offers[name] += 1
                places.setdefault(name, (source.path, source.tokens[at].line))
        else:
            offers.update(function.name for function in source.functions)
    for name, (path, line) in places.items():
        unused = mentions[name] <= offers[name] and name not in HOOKS
        if unused and name not in FOR_TESTS:
            yield path, line, f"nothing that ships calls {name} (rules.py: FOR_TESTS names exceptions)"
        if not unused and name in FOR_TESTS:
            yield path, line, f"{name} is called; take it out of FOR_TESTS (rules.py)"


def marks(tree):
    """A TODO names its issue: TODO(#12)."""
    # Split, so that this line does not match itself.
    pattern = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\s*\(?#\d)")
    for source in tree.sources:
        for number, line in enumerate(source.lines, 1):
            if pattern.search(line):
                yield source.path, number, "a mark without an issue's number"


def without_system_headers(line):
    """A line of CMake without comment and without <boost/….hpp>."""
    return re.sub(r"(?<!\$)<[^<>]*>", "", line.split("#")[0])


def listed(tree):
    """Every source is listed in a CMakeLists.txt, and every listed file exists."""
    known = set()
    for path in tree.cmake:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for name in re.findall(r"[\w./${}-]+\.[ch]pp\b", without_system_headers(line)):
                name = re.sub(r"^\$\{(PROJECT|CMAKE)_SOURCE_DIR\}", str(tree.root), name)
                name = name.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")
                if "_BINARY_DIR}" in name or line.lstrip().startswith("configure_file"):
                    continue  # made by CMake
                glob = re.sub(r"\$\{\w+\}", "*", name)  # ${module}_test.cpp in a loop
                found = [p.resolve() for p in path.parent.glob(glob)] if not glob.startswith("/") \
                    else [Path(glob).resolve()] if Path(glob).is_file() else []
                if not found:
                    yield path.relative_to(tree.root), number, f"{name} does not exist"
                known.update(found)
    for source in tree.sources:
        must = source.path.suffix == ".cpp" or source.path.parts[0] == "lib"
        if must and (tree.root / source.path).resolve() not in known:
            yield source.path, 1, "is in no CMakeLists.txt"


def data_files(tree):
    """All shipped YAML and JSON files can be parsed."""
    import json
    import yaml
    for top in ("config", "deploy"):
        for path in sorted((tree.root / top).rglob("*.*")):
            try:
                if path.suffix in (".yaml", ".yml"):
                    list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
                elif path.suffix == ".json":
                    json.loads(path.read_text(encoding="utf-8"))
            except (yaml.YAMLError, ValueError) as error:
                yield path.relative_to(tree.root), 1, " ".join(str(error).split())


RULES = (layers, purity, await_traps, locks, banned, waiting, names, headers, own_header, columns, sizes, used, called,
         marks, listed, data_files)


def check(tree):
    return [(rule.__name__, *problem) for rule in RULES for problem in rule(tree)]
