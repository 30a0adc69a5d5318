<?php
// For auto_prepend_file: writes to /var/tmp/trace.jsonl when each script begins and ends, and each HTTP call that
// WordPress makes meanwhile. It changes no file of WordPress: WordPress takes hooks that are in $wp_filter already.
(function () {
    $id = bin2hex(random_bytes(4));
    $note = function (string $what, array $more = []) use ($id) {
        $line = ['what' => $what, 'id' => $id, 'at' => microtime(true)] + $more;
        file_put_contents('/var/tmp/trace.jsonl', json_encode($line) . "\n", FILE_APPEND | LOCK_EX);
    };
    $headers = array_filter($_SERVER, fn($name) => str_starts_with($name, 'HTTP_'), ARRAY_FILTER_USE_KEY);
    $note('begin', ['method' => $_SERVER['REQUEST_METHOD'] ?? 'cli', 'uri' => $_SERVER['REQUEST_URI'] ?? '',
                    'peer' => $_SERVER['REMOTE_ADDR'] ?? '', 'headers' => $headers]);
    // Registered at the end, so that it runs after WordPress' own shutdown functions.
    register_shutdown_function(fn() => register_shutdown_function(
        fn() => $note('end', ['aborted' => connection_aborted(), 'connection' => connection_status()])));
    $call = function ($answer, $args, $url) use ($note) {
        $note('call', ['url' => $url, 'method' => $args['method'], 'timeout' => $args['timeout'],
                       'blocking' => $args['blocking']]);
        return $answer;
    };
    $called = function ($response, $context, $class, $args, $url) use ($note) {
        $failed = is_wp_error($response) ? $response->get_error_message() : null;
        $note('called', ['url' => $url, 'failed' => $failed, 'status' => $failed ? 0 : $response['response']['code']]);
    };
    $GLOBALS['wp_filter'] = ['pre_http_request' => [0 => [['function' => $call, 'accepted_args' => 3]]],
                             'http_api_debug' => [0 => [['function' => $called, 'accepted_args' => 5]]]];
})();
