<?php
// The classic lost update, as it stands in many an application: read a file, change what was read, write it
// back. Two requests at once read the same number, and one of the two additions is lost.
declare(strict_types=1);

require __DIR__ . '/state.php';

if ($_SERVER['REQUEST_METHOD'] === 'POST') {
    $state = read_state();
    $state['count']++;
    $state['last_request'] = $_SERVER['HTTP_X_REQUEST_ID'] ?? null;
    usleep(500);  // what a page does in between: a template, a check, a query
    write_state($state);
} else {
    $state = read_state();
}

header('Content-Type: application/json');
echo json_encode($state), "\n";
