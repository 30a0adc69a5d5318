-- wrk: a GET with a head of about 800 bytes and 14 fields, like a browser's; at the end one line
-- "BENCH requests duration_us p50_us p99_us errors".
wrk.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
wrk.headers["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*"
wrk.headers["Accept-Language"] = "en-GB,en;q=0.8,de;q=0.5"
wrk.headers["Accept-Encoding"] = "gzip, deflate, br, zstd"
wrk.headers["Referer"] = "http://app.example.test/orders/list?page=3&sort=created&direction=descending"
wrk.headers["Cookie"] = "session=5f2d1c0b9a8e7d6c5b4a39281706f5e4d3c2b1a0; theme=dark; "
    .. "consent=analytics%3Dfalse%26ads%3Dfalse; csrf=Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MGFiY2RlZg"
wrk.headers["DNT"] = "1"
wrk.headers["Upgrade-Insecure-Requests"] = "1"
wrk.headers["Sec-Fetch-Dest"] = "document"
wrk.headers["Sec-Fetch-Mode"] = "navigate"
wrk.headers["Sec-Fetch-Site"] = "same-origin"
wrk.headers["Sec-Fetch-User"] = "?1"
wrk.headers["Priority"] = "u=0, i"

function done(summary, latency)
    local e = summary.errors
    print(string.format("BENCH %d %d %.0f %.0f %d", summary.requests, summary.duration,
        latency:percentile(50), latency:percentile(99),
        e.connect + e.read + e.write + e.status + e.timeout))
end
