# shellcheck shell=bash
# Each function measures one cell of the comparison: it loads a running proxy and prints the results
# as tab-separated KEY=VALUE. Sourced by run.sh, whose variables it uses.
# shellcheck disable=SC2154

on_load_cpu() {
    if [[ -n $load_cpu ]]; then taskset -c "$load_cpu" "$@"; else "$@"; fi
}

# per_request BEFORE_NS AFTER_NS REQUESTS: microseconds.
per_request() {
    awk -v a="$1" -v b="$2" -v n="$3" 'BEGIN { printf "%.2f", n ? (b - a) / 1000 / n : 0 }'
}

# median NAME KEY: over the rows of this name in $tg_work/rows.
median() {
    grep -P "^$1\t" "$tg_work/rows" | grep -oP "\t$2=\K[0-9.]+" | sort -n |
        awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

url_of() {
    echo "http://127.0.0.1:${tg_port[$1]}/"
}

# measure_wrk NAME CLIENTS: closed loop, as fast as it goes.
measure_wrk() {
    local before after requests duration p50 p99 errors
    before=$(tg_cpu_ns "${tg_pid[$1]}")
    read -r _ requests duration p50 p99 errors < <(on_load_cpu timeout 120 \
        wrk -t1 -c"$2" -d"${seconds}s" -s "$tg_here/browser.lua" "$(url_of "$1")" | grep ^BENCH)
    after=$(tg_cpu_ns "${tg_pid[$1]}")
    printf 'rps=%.0f\tp50=%s\tp99=%s\tcpu=%s\terrors=%s' \
        "$(awk -v n="${requests:-0}" -v us="${duration:-1}" 'BEGIN { print n * 1e6 / us }')" \
        "${p50:-0}" "${p99:-0}" "$(per_request "$before" "$after" "${requests:-0}")" "${errors:-1}"
}

# The head of browser.lua for h2load: "-H" "name: value" pairs in `fields`.
browser_fields() {
    fields=()
    local field
    while IFS= read -r field; do fields+=(-H "$field"); done < <(
        sed -n '/^wrk.headers/{:more;/"$/!b;N;/\n *\.\./!{P;D;};s/"\n *\.\. "//;bmore}' \
            "$tg_here/browser.lua" | sed -n 's/^wrk.headers\["\(.*\)"\] = "\(.*\)"$/\1: \2/p')
}

# measure_rate NAME [RATE]: so many requests a second (10,000) offered by 64 clients.
measure_rate() {
    local before after log=$tg_work/h2load.log fields each
    each=$(awk -v n="${2:-10000}" 'BEGIN { print n / 64 }')
    browser_fields
    rm -f "$log"
    before=$(tg_cpu_ns "${tg_pid[$1]}")
    on_load_cpu timeout 120 h2load --h1 -t1 -c64 --rps "$each" -D "$seconds" "${fields[@]}" \
        --log-file="$log" "$(url_of "$1")" >"$tg_work/h2load.out" 2>&1
    after=$(tg_cpu_ns "${tg_pid[$1]}")
    # Columns: start, status, microseconds.
    sort -n -k3,3 "$log" | awk -v a="$before" -v b="$after" -v seconds="$seconds" '
        { us[NR] = $3; if ($2 != 200) ++errors }
        END {
            cpu = NR ? (b - a) / 1000 / NR : 0
            printf "rps=%.0f\tp50=%d\tp99=%d\tcpu=%.2f\terrors=%d", NR / seconds,
                us[int(NR / 2) + 1], us[int(NR * 0.99) + 1], cpu, errors
        }'
}

# json_value KEY: from the object on stdin.
json_value() {
    sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p"
}

# measure_serial NAME CLIENTS MS: one request at a time, closed loop.
measure_serial() {
    local before after json key
    before=$(tg_cpu_ns "${tg_pid[$1]}")
    json=$(on_load_cpu timeout 120 "$tg_bin/tg_driver" "$(url_of "$1")" --connections "$2" \
        --seconds "$seconds" --ms "$3" --backend "${tg_port[back]}")
    after=$(tg_cpu_ns "${tg_pid[$1]}")
    printf 'cpu=%s' "$(per_request "$before" "$after" "$(json_value completed <<<"$json")")"
    for key in rps=rps p50=latency_p50_us p99=latency_p99_us gap=gap_p50_us gap90=gap_p90_us \
        overlaps=overlaps strict=inversions_strict slack=inversions lost=lost wrong=wrong \
        jump=max_jump; do
        printf '\t%s=%s' "${key%%=*}" "$(json_value "${key#*=}" <<<"$json")"
    done
}

# measure_memory NAME PATH COUNTED: resident memory without clients, and the memory that each of many
# connections adds, either with a waiting request (COUNTED: held) or idle after its answer (completed).
measure_memory() {
    local idle full most holder held i pin=()
    [[ -n $load_cpu ]] && pin=(taskset -c "$load_cpu")
    # A proxy opens up to two descriptors a waiting request.
    most=$((($(ulimit -n) - 1000) / 2))
    ((most > 9500)) && most=9500
    : >"$tg_work/hold.out"
    idle=$(tg_rss_kib "${tg_pid[$1]}")
    # Not in a function: the background job must be the driver itself, so that its id stops it.
    "${pin[@]}" "$tg_bin/tg_driver" "$(url_of "$1")" --path "$2" --hold "$most" \
        --seconds 60 >"$tg_work/hold.out" 2>&1 &
    holder=$!
    for ((i = 0; i < 200; ++i)); do
        grep -q ^holding "$tg_work/hold.out" && break
        kill -0 "$holder" 2>/dev/null || break
        sleep 0.1
    done
    sleep 2
    full=$(tg_rss_kib "${tg_pid[$1]}")
    kill "$holder" 2>/dev/null
    wait "$holder" 2>/dev/null
    held=$(json_value "$3" <"$tg_work/hold.out")
    printf 'idle_kib=%s\theld=%s\tkib_each=%s' "$idle" "${held:-0}" \
        "$(awk -v a="$idle" -v b="$full" -v n="${held:-0}" \
            'BEGIN { printf "%.2f", n ? (b - a) / n : 0 }')"
}

# measure_syscalls NAME: calls per request, counted by strace over a known number of requests.
measure_syscalls() {
    local requests=20000 pid tracer attach=() i out=$tg_work/strace.out
    for pid in $(tg_tree "${tg_pid[$1]}"); do attach+=(-p "$pid"); done
    rm -f "$out" && : >"$tg_work/strace.err"
    strace -c -f -U calls,name -o "$out" "${attach[@]}" 2>"$tg_work/strace.err" &
    tracer=$!
    for ((i = 0; i < 50; ++i)); do
        grep -q attached "$tg_work/strace.err" && break
        sleep 0.1
    done
    sleep 0.2
    on_load_cpu timeout 120 "$tg_bin/tg_driver" "$(url_of "$1")" --requests "$requests" \
        >"$tg_work/traced.json"
    kill -INT "$tracer"
    wait "$tracer" 2>/dev/null
    awk -v n="$(json_value completed <"$tg_work/traced.json")" '
        $2 == "total" { total = $1 }
        $1 + 0 > 0 && $2 != "total" && $1 / n >= 0.05 { by = by sprintf(" %s %.2f", $2, $1 / n) }
        END { printf "calls=%.2f\tby=%s", n ? total / n : 0, substr(by, 2) }' "$out"
}
