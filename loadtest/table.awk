# Rows "PART CASE PEER ROUND KEY=VALUE..." to Markdown tables: medians over rounds, [min-max], and
# ratios taken within each round before their median.
BEGIN { FS = "\t" }

{
    part = $1; case_ = $2; peer = $3; round = $4
    if (!((part, case_) in case_seen)) { case_seen[part, case_] = 1; cases[part, ++case_count[part]] = case_ }
    if (!((part, case_, peer) in peer_seen)) {
        peer_seen[part, case_, peer] = 1
        peers[part, case_, ++peer_count[part, case_]] = peer
    }
    if (round > rounds[part]) rounds[part] = round
    for (i = 5; i <= NF; ++i) {
        at = index($i, "=")
        value[part, case_, peer, round, substr($i, 1, at - 1)] = substr($i, at + 1)
    }
}

# Fills sorted[] with the values of a key over rounds, or with their ratios to another peer's (of the
# same round; in another case, if one is named). Returns how many there are.
function collect(part, case_, peer, key, base, base_case,    r, n, i, x, y) {
    n = 0
    for (r = 1; r <= rounds[part]; ++r) {
        if (!((part, case_, peer, r, key) in value)) continue
        x = value[part, case_, peer, r, key] + 0
        if (base != "") {
            y = value[part, base_case, base, r, key] + 0
            if (y == 0) continue
            x /= y
        }
        for (i = n++; i > 0 && sorted[i] > x; --i) sorted[i + 1] = sorted[i]
        sorted[i + 1] = x
    }
    return n
}

function median(n) {
    if (n == 0) return "-"
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function mid(part, case_, peer, key, format,    n) {
    n = collect(part, case_, peer, key, "", "")
    return n ? sprintf(format, median(n)) : "-"
}

function spread(part, case_, peer, key, format,    n) {
    n = collect(part, case_, peer, key, "", "")
    if (n < 2) return mid(part, case_, peer, key, format)
    return sprintf(format " [" format "-" format "]", median(n), sorted[1], sorted[n])
}

function ratio(part, case_, peer, key, base, base_case,    n) {
    n = collect(part, case_, peer, key, base, base_case == "" ? case_ : base_case)
    if (n == 0) return "-"
    return n < 2 ? sprintf("%.2f", median(n)) : sprintf("%.2f [%.2f-%.2f]", median(n), sorted[1], sorted[n])
}

function total(part, case_, peer, key,    r, sum) {
    for (r = 1; r <= rounds[part]; ++r) sum += value[part, case_, peer, r, key]
    return sum + 0
}

function title(text) { printf "\n## %s\n\n", text }

function pass_table(part,    c, p, case_, peer, plain) {
    print "| clients, access log | proxy | req/s | p50 us | p99 us | CPU us/req | CPU : relay | CPU : HAProxy | CPU : nginx | errors |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (c = 1; c <= case_count[part]; ++c) {
        case_ = cases[part, c]
        # The relay has no log: with logs on the others are held against its plain figure.
        plain = case_; sub("log on", "log off", plain)
        for (p = 1; p <= peer_count[part, case_]; ++p) {
            peer = peers[part, case_, p]
            printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %d |\n", case_, peer,
                spread(part, case_, peer, "rps", "%.0f"), mid(part, case_, peer, "p50", "%.0f"),
                mid(part, case_, peer, "p99", "%.0f"), spread(part, case_, peer, "cpu", "%.1f"),
                ratio(part, case_, peer, "cpu", "relay", plain),
                ratio(part, case_, peer, "cpu", "haproxy", ""),
                ratio(part, case_, peer, "cpu", "nginx", ""), total(part, case_, peer, "errors")
        }
    }
}

function serial_table(    c, p, case_, peer, base) {
    print "Ratios are to HAProxy with one thread, pinned or not as the row is (`free`: not pinned).\n"
    print "| work, clients | proxy-threads | req/s | : HAProxy | p50 us | p99 us | CPU us/req | : HAProxy | gap p50 us | : HAProxy | overlaps | inversions strict / over 1 ms | lost, wrong |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    for (c = 1; c <= case_count["serial"]; ++c) {
        case_ = cases["serial", c]
        for (p = 1; p <= peer_count["serial", case_]; ++p) {
            peer = peers["serial", case_, p]
            base = peer ~ /-free$/ ? "haproxy-1-free" : "haproxy-1"
            printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d | %d / %d | %d, %d |\n", case_, peer,
                spread("serial", case_, peer, "rps", "%.0f"),
                ratio("serial", case_, peer, "rps", base, ""),
                mid("serial", case_, peer, "p50", "%.0f"), mid("serial", case_, peer, "p99", "%.0f"),
                spread("serial", case_, peer, "cpu", "%.1f"),
                ratio("serial", case_, peer, "cpu", base, ""),
                spread("serial", case_, peer, "gap", "%.0f"),
                ratio("serial", case_, peer, "gap", base, ""),
                total("serial", case_, peer, "overlaps"), total("serial", case_, peer, "strict"),
                total("serial", case_, peer, "slack"), total("serial", case_, peer, "lost"),
                total("serial", case_, peer, "wrong")
        }
    }
}

END {
    if (case_count["pass"]) { title("Pass-through at saturation (wrk -t1)"); pass_table("pass") }
    if (case_count["rate"]) { title("Pass-through at 10,000 requests/s offered (h2load --h1 --rps)"); pass_table("rate") }
    if (case_count["serial"]) { title("Serialised: one request in flight (tg_driver, closed loop)"); serial_table() }
    if (case_count["memory"]) {
        title("Memory")
        print "| proxy | idle RSS MiB | requests waiting | KiB each | idle connections | KiB each |\n|---|---|---|---|---|---|"
        case_ = "waiting"
        for (p = 1; p <= peer_count["memory", case_]; ++p) {
            peer = peers["memory", case_, p]
            printf "| %s | %.1f | %d | %s | %d | %s |\n", peer,
                value["memory", case_, peer, 1, "idle_kib"] / 1024,
                value["memory", case_, peer, 1, "held"], value["memory", case_, peer, 1, "kib_each"],
                value["memory", "kept", peer, 1, "held"], value["memory", "kept", peer, 1, "kib_each"]
        }
    }
    if (case_count["syscalls"]) {
        title("System calls per request (strace -c, 20,000 requests, 64 clients)")
        print "| proxy | calls/req | of them |\n|---|---|---|"
        case_ = "64 clients"
        for (p = 1; p <= peer_count["syscalls", case_]; ++p) {
            peer = peers["syscalls", case_, p]
            printf "| %s | %s | %s |\n", peer, value["syscalls", case_, peer, 1, "calls"],
                value["syscalls", case_, peer, 1, "by"]
        }
    }
}
