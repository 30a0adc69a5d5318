<?php
// The access log for a terminal: one short coloured line for each request, from the JSON on standard input.
// Any line but an access record passes as it is.
declare(strict_types=1);

function line_of(string $json): string
{
    $one = json_decode($json, true);
    if (!is_array($one) || !isset($one['status'], $one['time'])) {
        return rtrim($json);
    }
    $status = (int) $one['status'];
    $colour = $status < 300 ? 32 : ($status < 400 ? 36 : ($status < 500 ? 33 : 31));
    $text = sprintf("%s  \e[%dm%d\e[0m  %-6s %-28s", substr((string) $one['time'], 11, 12), $colour, $status,
                    $one['method'] ?? '-', ($one['path'] ?? '-'));
    if (isset($one['queue'])) {
        $text .= sprintf("  \e[2mqueue\e[0m %s  \e[2mwaited\e[0m %.0f ms  \e[2mran\e[0m %.0f ms", $one['queue'],
                         $one['queue_wait_ms'] ?? 0, $one['hold_ms'] ?? 0);
    }
    // The path is a client's: no control characters of its own reach the terminal.
    return preg_replace('/[\x00-\x1a\x1c-\x1f\x7f]|\e(?!\[\d+m)/', '?', $text);
}

while (($json = fgets(STDIN)) !== false) {
    echo line_of($json), "\n";
}
