<?php
// What php-fpm runs in a storm with --php. It journals its beginning and its end under a lock, so the file's order is that
// of the events, and answers what clients of tg_backend expect: ?ms= and ?us= of work, ?size= bytes, X-Seq. Every fourth
// request goes on for some milliseconds behind its answer, which only `release: worker_idle` waits for.
ignore_user_abort(true);
set_time_limit(0);
$journal = fopen(getenv('JOURNAL'), 'a');
$seq = (int)($_SERVER['HTTP_X_SEQ'] ?? 0);

function note($text) {
    global $journal;
    flock($journal, LOCK_EX);
    fwrite($journal, hrtime(true) . " $text\n");
    flock($journal, LOCK_UN);
}

$path = strtok($_SERVER['REQUEST_URI'], '?');
$run = getmypid() . '.' . hrtime(true);
note("begin $run $seq " . ($_SERVER['FENCING_TOKEN'] ?? 0) . " {$_SERVER['REQUEST_METHOD']} $path");
register_shutdown_function(fn() => note("end $run"));
file_get_contents('php://input');
usleep(1000 * (int)($_GET['ms'] ?? 0) + (int)($_GET['us'] ?? 0));
$size = (int)($_GET['size'] ?? 1024);
header("X-Seq: $seq");
header("Content-Length: $size");
echo str_repeat('x', $size);
if ($seq % 4 == 0) {
    fastcgi_finish_request();
    usleep(1000 * ($seq % 7));
}
