<?php
declare(strict_types=1);

require __DIR__ . '/state.php';

if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(405);
    header('Allow: POST');
    exit;
}
write_state(['count' => 0, 'last_request' => null]);
http_response_code(204);
