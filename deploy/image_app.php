<?php
// The application of ./dev image for the image with PHP.
$file = '/state/count';
$read = fn() => is_file($file) ? (int)file_get_contents($file) : 0;
switch ($_GET['do'] ?? '') {
    case 'parent': echo posix_getppid(); break;
    case 'path': echo parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH); break;
    case 'session': session_start(); echo $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1; break;
    case 'upload': echo $_FILES['file']['size']; break;
    // Loses updates where two run at once.
    case 'count': $n = $read(); usleep(2000); file_put_contents($file, $n + 1); break;
    case 'read': echo $read(); break;
    case 'error': error_log('a word from PHP'); break;
    // Adds one when its parent has gone.
    case 'orphan': exec('(sleep 0.2; printf %s ' . ($read() + 1) . " >$file) >/dev/null 2>&1 &"); break;
    default: echo 'ready';
}
