"""Each rule must be able to fail: each case is a small tree with one fault. Good code must pass."""
import tempfile
from pathlib import Path

from rules import RULES, Tree, check

HEADER = "// What it is.\n#pragma once\n"
OWN = '#include "base/text.hpp"\n'

# A tree without a problem; each case below replaces or adds files.
GOOD = {
    "lib/base/CMakeLists.txt": "tg_module(base SOURCES text.cpp HEADERS text.hpp)\n",
    "lib/base/text.hpp": HEADER + "int trim();\n",
    "lib/base/text.cpp": OWN + 'int trim() { return 1; }\n',
    "lib/gate/CMakeLists.txt": "tg_module(gate SOURCES gate.cpp DEPS base)\n",
    "lib/gate/gate.cpp": '#include "base/text.hpp"\n// TODO(#12): fair turns\n',
    "cmd/CMakeLists.txt": "add_executable(a main.cpp)\n",
    "cmd/main.cpp": '#include "base/text.hpp"\nint main() { return trim(); }\n',
    "deploy/a.yaml": "a: 1\n---\nb: 2\n",
}


def coroutine(body):
    return {"lib/gate/gate.cpp": "task<int> run(int n) {\n    " + body + "\n}\n"}


def unit(text, name="lib/gate/gate.cpp"):
    return {name: text}


# rule, files that break it
BAD = [
    ("layers", unit('#include "base/../gate/nothing.hpp"\n')),
    ("layers", {"lib/base/text.cpp": OWN + '#include "gate/fair.hpp"\n', "lib/gate/fair.hpp": HEADER,
                "lib/gate/CMakeLists.txt": "tg_module(gate SOURCES gate.cpp HEADERS fair.hpp)\n"}),
    ("layers", {"lib/ids/CMakeLists.txt": "x(id.hpp)", "lib/ids/id.hpp": HEADER,
                "lib/queue/CMakeLists.txt": "x(q.cpp)", "lib/queue/q.cpp": '#include "ids/id.hpp"\n'}),
    ("layers", {"lib/app/CMakeLists.txt": "x(app.hpp)", "lib/app/app.hpp": HEADER,
                "lib/gate/gate.cpp": '#include "app/app.hpp"\n'}),
    ("layers", {"lib/other/CMakeLists.txt": "x(a.cpp)", "lib/other/a.cpp": "\n"}),
    ("purity", unit(OWN + "#include <boost/asio/ip/tcp.hpp>\n", "lib/base/text.cpp")),
    ("purity", unit(OWN + "#include <boost/beast/http.hpp>\n", "lib/base/text.cpp")),
    # T1: the forms of TOOLCHAIN section 6
    ("await_traps", coroutine("co_await f({.name = s});")),
    ("await_traps", coroutine("co_await f(Opts{s, p});")),
    ("await_traps", coroutine("auto x = Opts{co_await g(), p};")),
    ("await_traps", coroutine("v.push_back({co_await g(), p});")),
    ("await_traps", coroutine("v.push_back(\n        Opts{s},\n        co_await g());")),
    ("await_traps", coroutine("if (auto r = co_await f({1, s}); r) { use(r); }")),
    ("await_traps", coroutine("while (co_await f(Opts{s})) { use(); }")),
    ("await_traps", coroutine("co_await f([p] { use(p); });")),
    ("await_traps", coroutine("co_await f([p](int x) { use(p, x); });")),
    ("await_traps", coroutine("co_spawn(co_await this_coro::executor, [p] { use(p); }, detached);")),
    ("await_traps", coroutine("f([p](int x) -> int { return x; }, co_await g());")),
    ("await_traps", coroutine("int y = 0;\n    return T{1} + co_await g();")),
    ("await_traps", coroutine("auto f = [p]() -> task<void> { co_await g(p); };")),  # T2
    ("locks", coroutine("std::lock_guard lock(mutex_);\n    co_await g();")),
    ("locks", coroutine("std::unique_lock<std::mutex> lock{mutex_};\n    if (n) { co_await g(); }")),
    ("own_header", {"lib/base/text.cpp": '#include <string>\n\n#include "base/text.hpp"\nint trim() { return 1; }\n'}),
    ("sizes", unit("// long\n" * 341)),
    ("sizes", unit("// long\n" * 421, "cmd/main.cpp")
        | {"lib/gate/gate.cpp": '#include "base/text.hpp"\nint one = trim();\n'}),
    ("sizes", unit("int f() {\n" + "    g();\n" * 59 + "}\n")),
    ("used", {"lib/gate/CMakeLists.txt": "x(gate.cpp gate.hpp)", "lib/gate/gate.hpp": HEADER,
              "lib/gate/gate.cpp": '#include "gate/gate.hpp"\n'}),
    ("banned", unit("void f() { std::this_thread::sleep_for(1ms); }\n")),
    ("waiting", {"tests/a_test.cpp": "void f() { usleep(1); }\n",
                 "tests/CMakeLists.txt": "tg_test(a SOURCES a_test.cpp)\n"}),
    ("waiting", {"tests/a_test.cpp": "void f() { be_slow(20ms); }\n",
                 "tests/CMakeLists.txt": "tg_test(a SOURCES a_test.cpp)\n"}),
    ("waiting", {"loadtest/torture/a.cpp": "task<> f() {\n    co_await world.loop.sleep(6000);\n}\n",
                 "loadtest/CMakeLists.txt": "x(torture/a.cpp)\n"}),
    ("waiting", {"loadtest/torture/a.cpp": "void f() { ::poll(nullptr, 0, 6); }\n",
                 "loadtest/CMakeLists.txt": "x(torture/a.cpp)\n"}),
    ("waiting", {"tests/real/a.py": "import time\ntime.sleep(1)\n"}),
    ("waiting", {"tests/real/a.sh": "start &\nsleep 1\n"}),
    ("waiting", {"tests/real/a.sh": "until up; do sleep 0.1; done\n"}),
    ("waiting", {"deploy/demo/servers.sh": "# waits no more\n"}),
    ("banned", unit("std::regex r;\n")),
    ("banned", unit("int n = rand();\n")),
    ("banned", unit(HEADER + "using namespace std;\n", "lib/base/text.hpp")),
    ("banned", unit(HEADER + "using namespace std::chrono;\n", "lib/base/text.hpp")),
    ("purity", unit(OWN + "#include <sys/epoll.h>\n", "lib/base/text.cpp")),
    ("names", {"lib/gate/gate_manager.cpp": "\n",
               "lib/gate/CMakeLists.txt": "x(gate.cpp gate_manager.cpp)\n"}),
    ("names", unit("class QueueManager {\n};\n")),
    ("names", unit("struct RunContext : Base {\n};\n")),
    ("headers", unit("// What it is.\nint trim();\n", "lib/base/text.hpp")),
    ("headers", unit("#pragma once\nint trim();\n", "lib/base/text.hpp")),
    ("columns", unit("// " + "x" * 98 + "\n")),
    ("called", {"lib/base/text.hpp": HEADER + "int trim();\nint spare();\n",
                "lib/base/text.cpp": '#include "base/text.hpp"\nint trim() { return 1; }\n'
                                     "int spare() { return 2; }\n"}),
    ("called", {"lib/base/text.hpp": HEADER + "struct Text {\n    int trim() const { return 1; }\n"
                                              "    int spare() const { return 2; }\n};\n",
                "lib/base/text.cpp": '#include "base/text.hpp"\n'}),
    ("called", {"lib/base/text.hpp": HEADER + "int trim();\nint on_disk();\n",
                "cmd/main.cpp": '#include "base/text.hpp"\nint main() { return trim() + on_disk(); }\n'}),
    ("used", {"tests/support/spare.hpp": HEADER}),
    ("marks", unit("// TO" "DO: later\n")),
    ("listed", {"lib/gate/lost.cpp": "\n"}),
    ("listed", {"lib/gate/lost.hpp": HEADER, "lib/gate/gate.cpp": '#include "gate/lost.hpp"\n'}),
    ("listed", {"lib/gate/CMakeLists.txt": "tg_module(gate SOURCES gate.cpp gone.cpp)\n"}),
    ("data_files", {"deploy/a.yaml": "a: [1\n"}),
    ("data_files", {"config/schema.json": "{,}"}),
]

# Good code that resembles a fault.
FINE = [
    coroutine("if (co_await f(s)) {\n        use();\n    }\n    co_await g();"),
    coroutine("auto op = f({.name = s});\n    co_await std::move(op);"),
    coroutine("auto [ec, n] = co_await read(as_tuple(use_awaitable));"),
    coroutine("for (auto& x : co_await list()) { use(x); }\n    co_return Agg{1, 2};"),
    coroutine("for (;;) { if (a[i] && co_await g(a[i])) break; }"),
    coroutine("auto sort = [p](int a) { return a < p; };\n    co_await g(sort);"),
    coroutine("try {\n        co_await g();\n    } catch (const std::exception& e) {\n        use(e);\n    }"),
    coroutine("{\n        std::lock_guard lock(mutex_);\n        n_ = 1;\n    }\n    co_await g();"),
    coroutine("switch (n) {\n        case 1: co_await g(); break;\n        default: break;\n    }"),
    coroutine("Opts opts{s};\n    int x = 1;\n    co_return co_await g(x ? 1 : co_await h(), opts);"),
    coroutine('log("{} co_await {}", 1);  // co_await f({1})\n    co_await g("{");'),
    coroutine("do {\n        n = co_await g();\n    } while (co_await more());"),
    coroutine("auto f = []() -> task<void> { co_await g(); };\n    co_await f();"),
    coroutine("if constexpr (flag) { co_await g(); } else { co_await h(); }"),
    unit("net::io_context loop;\nauto n = gen.rand();\nint operand(int);\nint x = operand(1);\n"),
    unit(HEADER + "using namespace std::chrono_literals;\n", "lib/base/text.hpp"),
    {"lib/gate/CMakeLists.txt": "configure_file(made.hpp.in ${PROJECT_BINARY_DIR}/gate/made.hpp)\n"
                                "tg_module(gate SOURCES gate.cpp DEPS base)\n",
     "lib/gate/made.hpp.in": "", "lib/gate/gate.cpp": '#include "gate/made.hpp"\n'},
    {"tests/support/patience.hpp": HEADER + "void a() { sleep_for(1ms); }\nvoid b() { sleep_for(1ms); }\n"
                                   "void be_slow(int n) { sleep_for(n); }\n",
     "tests/e2e/speed_test.cpp": '#include "support/patience.hpp"\n',
     "tests/CMakeLists.txt": "x(e2e/speed_test.cpp)\n"},
    {"tests/e2e/speed_test.cpp": "void f() { be_slow(20ms); }\n",
     "tests/CMakeLists.txt": "x(e2e/speed_test.cpp)\n"},
    {"tests/real/a.py": "# no time.sleep(1) here\nphp = 'usleep(2000);'\n",
     "tests/real/a.sh": "# sleep 1\nexec sleepy --for 1\n"},
    {"loadtest/slow.cpp": "void f() { sleep_for(1s); }\n",
     "loadtest/CMakeLists.txt": "add_executable(slow slow.cpp)\n"},
    {"tests/unit/CMakeLists.txt": "foreach(m a b)\n  t(${m}_test.cpp)\nendforeach()\n",
     "tests/unit/a_test.cpp": "\n", "tests/unit/b_test.cpp": "\n"},
]


def problems_of(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (GOOD | files).items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check(Tree(Path(folder).resolve()))


def run():
    failures = []
    for files in [{}, *FINE]:
        for problem in problems_of(files):
            failures.append(f"good code is blamed: {problem}\n{files}")
    for rule, files in BAD:
        caught = {problem[0] for problem in problems_of(files)}
        if caught != {rule}:
            failures.append(f"[{rule}] should be caught, alone; caught: {sorted(caught)}\n{files}")
    for rule in {r.__name__ for r in RULES} - {rule for rule, _ in BAD}:
        failures.append(f"[{rule}] has no case that breaks it")
    failures += size_failures()
    for failure in failures:
        print(failure)
    print(f"tidy --self-test: {len(BAD)} faults, {len(FINE) + 1} good trees, {len(failures)} failures")
    return 1 if failures else 0


def size_failures():
    from source import Source
    text = ("namespace a {\nclass B {\n    int f() const { return 1; }\n};\n"
            "B::B(int x)\n    : x_(x), y_{x} {\n    if (x) {\n    }\n}\n"
            "TEST(Noun, Promise) {\n}\nint data[] = {1, 2};\n}\n")
    found = [(f.name, f.lines) for f in Source(Path("x.cpp"), text).functions]
    wanted = [("f", 1), ("B", 5), ("TEST(Noun, Promise)", 2)]
    return [] if found == wanted else [f"functions found: {found}, not {wanted}"]
