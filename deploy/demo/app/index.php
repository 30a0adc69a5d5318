<?php
// The page of the demo: the counter, what arrived with this request, and two buttons.
declare(strict_types=1);

require __DIR__ . '/state.php';

$state = read_state();
$ids = array_filter([
    'X-Request-Id' => $_SERVER['HTTP_X_REQUEST_ID'] ?? null,
    'UNIQUE_ID' => $_SERVER['UNIQUE_ID'] ?? $_SERVER['HTTP_UNIQUE_ID'] ?? null,
    'X-Forwarded-For' => $_SERVER['HTTP_X_FORWARDED_FOR'] ?? null,
]);
?>
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The counter that loses count</title>
<style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
    output { font-size: 3rem; font-weight: bold; }
    code, td { font-family: ui-monospace, monospace; }
    td { padding-right: 1.5rem; }
</style>
<h1>The counter that loses count</h1>
<p><output id="count"><?= (int) $state['count'] ?></output></p>
<p>
    <button id="add">Add 100, eight at a time</button>
    <button id="reset">Reset</button>
    <span id="said"></span>
</p>
<p>Each addition is one <code>POST /counter.php</code>: read a JSON file, add one, write it back, without a lock.
   Straight at PHP some of a hundred are lost. Through ticketgate none is.</p>
<h2>This request arrived with</h2>
<?php if ($ids): ?>
<table>
<?php foreach ($ids as $name => $value): ?>
    <tr><td><?= htmlspecialchars($name) ?></td><td><?= htmlspecialchars($value) ?></td></tr>
<?php endforeach ?>
</table>
<?php else: ?>
<p>no ids: it came straight here, not through ticketgate.</p>
<?php endif ?>
<script>
    const show = async () => {
        const state = await (await fetch('counter.php')).json();
        document.getElementById('count').value = state.count;
        return state.count;
    };
    const say = text => { document.getElementById('said').textContent = text; };
    document.getElementById('reset').onclick = async () => {
        await fetch('reset.php', { method: 'POST' });
        say('');
        show();
    };
    document.getElementById('add').onclick = async () => {
        const before = await show();
        let left = 100;
        const worker = async () => {
            while (left-- > 0) await fetch('counter.php', { method: 'POST' });
        };
        say('…');
        await Promise.all(Array.from({ length: 8 }, worker));
        const added = await show() - before;
        say(added === 100 ? 'none lost' : `${100 - added} of 100 lost`);
    };
</script>
</html>
