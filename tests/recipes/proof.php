<?php
// What a script sees, an update that is lost if two run at once, a redirect as applications build it, and work
// behind the response. Only for the test of the recipes.
$state = '/var/tmp/ticketgate-proof';
switch ($_GET['do'] ?? 'show') {
    case 'count':
        $n = (int)@file_get_contents($state);
        usleep(2000);
        file_put_contents($state, $n + 1);
        echo $n + 1;
        break;
    case 'late':  // answers first, then does the same
        function_exists('fastcgi_finish_request') && fastcgi_finish_request();
        $n = (int)@file_get_contents($state);
        usleep(20000);
        file_put_contents($state, $n + 1);
        break;
    case 'read':
        echo (int)@file_get_contents($state);
        break;
    case 'away':
        $https = ($_SERVER['HTTPS'] ?? '') === 'on';
        $port = $_SERVER['SERVER_PORT'] === ($https ? '443' : '80') ? '' : ':' . $_SERVER['SERVER_PORT'];
        header('Location: http' . ($https ? 's' : '') . '://' . $_SERVER['SERVER_NAME'] . $port . '/elsewhere');
        break;
    default:
        foreach (['HTTP_HOST', 'SERVER_NAME', 'SERVER_PORT', 'REMOTE_ADDR', 'UNIQUE_ID', 'HTTP_X_REQUEST_ID'] as $name)
            echo $name, '=', $_SERVER[$name] ?? '', "\n";
}
