#!/usr/bin/env bash
# run.sh BUILD [-k] [SECONDS] [TARGET...]: runs each target for SECONDS (60), two at a time, starting from the corpora
# and the tables of tests/http_cases. Prints a line for each target. Inputs that fail are kept in BUILD/findings.
# -k: minimises new inputs and adds them to tests/fuzz/corpus.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1; shift
keep=
if [[ ${1:-} == -k ]]; then keep=yes; shift; fi
seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then seconds=$1; shift; fi
targets=("$@")
if ((${#targets[@]} == 0)); then
    for binary in "$build"/fuzz_*; do targets+=("${binary##*/fuzz_}"); done
fi

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
findings=$build/findings
logs=$build/logs
mkdir -p "$findings" "$logs"
python3 "$here/seeds.py" "$build/seeds"

dictionary() {
    case $1 in
        config) printf '%s' "-dict=$here/config.dict" ;;
        request | response | chunks | path) printf '%s' "-dict=$here/http.dict" ;;
    esac
}

# libFuzzer's last line has the coverage: #N DONE cov: C ft: F … exec/s: S.
fuzz() {
    local target=$1 binary=$build/fuzz_$1 corpus=$here/corpus/$1 work=$build/work/$1 log=$logs/$1.log
    local before after broken=0 status=0 options=()
    mkdir -p "$work" "$corpus"
    local dict
    dict=$(dictionary "$target")
    [[ -z $dict ]] || options+=("$dict")
    before=$(find "$findings" -name "$target-*" | wc -l)
    "$binary" "${options[@]}" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$findings/$target-" \
        "$work" "$corpus" "$build/seeds/$target" >"$log" 2>&1 || status=$?
    after=$(find "$findings" -name "$target-*" | wc -l)
    broken=$((after - before))
    local runs rate line cov ft
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    line=$(grep -E 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -n 1 || true)
    cov=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' <<<"$line")
    ft=$(sed -n 's/.*ft: \([0-9]*\).*/\1/p' <<<"$line")
    printf '%-10s %12s runs %9s runs/s  cov %6s  ft %7s  findings %d\n' \
        "$target" "${runs:-?}" "${rate:-?}" "${cov:-?}" "${ft:-?}" "$broken"
    if [[ -n $keep ]]; then
        # Merges with the seeds, which are generated for each run, so that only additional inputs are kept.
        local merged=$build/merged/$target
        rm -rf "$merged"
        mkdir -p "$build/merged"
        cp -r "$build/seeds/$target" "$merged"
        cp -t "$merged" "$corpus"/* 2>/dev/null || true
        "$binary" -set_cover_merge=1 -max_len=256 "$merged" "$work" >>"$log" 2>&1 || true
        find "$merged" -type f -size -2k -printf '%f\n' | sort >"$merged.names"
        find "$build/seeds/$target" -type f -printf '%f\n' | sort | comm -23 "$merged.names" - |
            while read -r name; do cp -n "$merged/$name" "$corpus/"; done
    fi
    return "$((status != 0 || broken != 0))"
}

failed=0 running=()
for target in "${targets[@]}"; do
    if ((${#running[@]} == 2)); then
        wait "${running[0]}" || failed=1
        running=("${running[@]:1}")
    fi
    fuzz "$target" &
    running+=($!)
done
for job in "${running[@]}"; do wait "$job" || failed=1; done
exit "$failed"
