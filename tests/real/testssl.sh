#!/usr/bin/env bash
# Runs testssl.sh against a listener of ticketgate with RSA and ECDSA: protocols, ciphers, key exchange, known
# attacks. Each takes a minute, so this is `./dev tls-check` and not one of the tests.
#   testssl.sh FOLDER_WITH_TICKETGATE
set -euo pipefail
bin=$1
work=$(mktemp -d)
gate=''
# shellcheck disable=SC2317  # by trap
finish() {
    [[ -n $gate ]] && kill "$gate" 2>/dev/null && wait "$gate" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

certificate() {
    openssl req -x509 -newkey "${@:2}" -nodes -days 60 -subj /CN=localhost -keyout "$work/$1.key" -out "$work/$1.pem" \
        -addext "subjectAltName=DNS:localhost" 2>/dev/null
}
certificate rsa rsa:2048
certificate ecdsa ec -pkeyopt ec_paramgen_curve:P-256
failed=0
for kind in rsa ecdsa; do
    printf '%s\n' \
        "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ certificate: $kind.pem, key: $kind.key }] } }]" \
        'upstreams: { app: { url: "http://127.0.0.1:9" } }' 'log: { access: off }' \
        'routes: [{ prefix: /, upstream: app }]' >"$work/config"
    : >"$work/log"
    "$bin/ticketgate" -c "$work/config" 2>"$work/log" &
    gate=$!
    until grep -q listening "$work/log"; do read -r -t 0.05 <> <(:) || true; done
    port=$(grep -oE 'address=127\.0\.0\.1:[0-9]+' "$work/log" | grep -oE '[0-9]+$')
    rm -f "$work/found.json"
    timeout 600 testssl --quiet --color 0 --warnings off --ip one -p -s -f -S -U --jsonfile "$work/found.json" \
        "https://localhost:$port" >"$work/report" 2>&1 || true
    kill "$gate"
    wait "$gate" || true
    gate=''
    # Ignores findings about this test's self-signed certificate; findings about TLS itself count.
    python3 - "$kind" "$work/found.json" <<'PY' || failed=1
import json, sys
kind, file = sys.argv[1:]
found = json.load(open(file))
ours = [f for f in found if not f["id"].startswith(("cert_", "DNS_CAA", "engine_problem"))]
bad = [f for f in ours if f["severity"] not in ("OK", "INFO")]
for f in bad:
    print(f'{kind}: {f["severity"]} {f["id"]}: {f["finding"]}')
bad = [f for f in bad if f["severity"] != "WARN"]  # WARN: testssl.sh could not find out; not a fault
offered = {f["id"] for f in ours if f["finding"].startswith("offered")}
print(f"{kind}: {len(ours)} findings, {len(bad)} bad; offered: {', '.join(sorted(offered))}")
sys.exit(bool(bad) or not {"TLS1_2", "TLS1_3"} <= offered)
PY
done
exit "$failed"
