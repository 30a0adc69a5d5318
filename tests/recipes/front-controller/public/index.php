<?php
// A front controller with the shape of Laravel's and Symfony's: every path that is no file comes here, a form names
// another method in _method, GET only reads, and some work is done behind the response. Only for the test.
$state = dirname(__DIR__) . '/state.json';
$method = $_SERVER['REQUEST_METHOD'];
if ($method === 'POST') {
    $method = strtoupper($_POST['_method'] ?? $_SERVER['HTTP_X_HTTP_METHOD_OVERRIDE'] ?? 'POST');
}
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$read = fn() => json_decode((string)@file_get_contents($state), true) ?? [];
$add = function (string $list, string $value, int $microseconds) use ($read, $state) {
    $all = $read();
    usleep($microseconds);
    $all[$list][] = $value;
    file_put_contents("$state.new" . getmypid(), json_encode($all));
    rename("$state.new" . getmypid(), $state);
};
header('Content-Type: application/json');
switch ("$method $path") {
    case 'GET /':
        echo json_encode(['script' => $_SERVER['SCRIPT_NAME']] + array_intersect_key($_SERVER, array_flip(
            ['HTTP_HOST', 'SERVER_NAME', 'SERVER_PORT', 'REMOTE_ADDR', 'UNIQUE_ID', 'HTTPS', 'QUERY_STRING'])));
        break;
    case 'GET /items':
        echo json_encode($read());
        break;
    case 'DELETE /items':
        @unlink($state);
        break;
    case 'POST /items':
    case 'PUT /items':
        $add(strtolower($method), $_POST['value'] ?? $_GET['value'], 2000);
        break;
    case 'POST /late':  // as Symfony's kernel.terminate and Laravel's afterResponse()
        ignore_user_abort(true);
        function_exists('fastcgi_finish_request') && fastcgi_finish_request();
        $add('late', $_POST['value'], 20000);
        break;
    case 'POST /files':
        move_uploaded_file($_FILES['file']['tmp_name'], __DIR__ . '/storage/' . basename($_FILES['file']['name']));
        break;
    case 'POST /away':
        header('Location: http' . (($_SERVER['HTTPS'] ?? '') === 'on' ? 's' : '') . "://$_SERVER[HTTP_HOST]/items", true, 302);
        break;
    default:
        http_response_code(404);
        echo json_encode(['page' => 'missing', 'method' => $method]);
}
