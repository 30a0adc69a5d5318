<?php
// Where the counters live: JSON files named by DEMO_STATE, else in the system's temporary directory. `?of=alone` is a
// second counter, so that the page can count both ways at once.
declare(strict_types=1);

function state_file(): string
{
    $file = getenv('DEMO_STATE') ?: sys_get_temp_dir() . '/ticketgate-demo.json';
    return ($_GET['of'] ?? '') === 'alone' ? "$file.alone" : $file;
}

function read_state(): array
{
    $text = is_file(state_file()) ? file_get_contents(state_file()) : '';
    return json_decode($text, true) ?? ['count' => 0, 'last_request' => null];
}

/** Whole or not at all, so that what the demo counts is lost updates and not half-written files. */
function write_state(array $state): void
{
    $new = tempnam(dirname(state_file()), 'demo');
    file_put_contents($new, json_encode($state));
    rename($new, state_file());
}
