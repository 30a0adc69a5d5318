<?php
// The page of the demo: both ways side by side, PHP alone (DEMO_DIRECT is its address) and through ticketgate, and
// what arrived with this request.
declare(strict_types=1);

require __DIR__ . '/state.php';

$direct = getenv('DEMO_DIRECT') ?: '';
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
<link rel="icon" href="data:,">
<style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
    output { font-size: 3rem; font-weight: bold; }
    code, td { font-family: ui-monospace, monospace; }
    td { padding-right: 1.5rem; }
    #sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
    #sides > div { border: 1px solid #ccc; border-radius: .5rem; padding: 0 1rem 1rem; }
    .lost { color: #b00020; } .kept { color: #00703c; }
</style>
<h1>The counter that loses count</h1>
<div id="sides">
    <div><h2>PHP alone</h2><output id="alone">0</output><p id="alone-said">&nbsp;</p></div>
    <div><h2>through ticketgate</h2><output id="gate">0</output><p id="gate-said">&nbsp;</p></div>
</div>
<p><button id="add">Add 100 to both, eight at a time</button></p>
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
    // Each side has a counter of its own. Both are read here; only the POSTs of the first go straight to PHP.
    const total = 100;
    const sides = {
        alone: { base: <?= json_encode($direct === '' ? '' : "$direct/", JSON_HEX_TAG) ?>, query: '?of=alone' },
        gate: { base: '', query: '' },
    };
    const say = (name, text, kind) => {
        const said = document.getElementById(`${name}-said`);
        said.textContent = text;
        said.className = kind;
    };
    const count = async name => {
        const state = await (await fetch('counter.php' + sides[name].query)).json();
        document.getElementById(name).value = state.count;
        return state.count;
    };
    const add = async name => {
        const { base, query } = sides[name];
        if (name === 'alone' && base === '') return say(name, 'PHP has no address of its own here', '');
        await fetch('reset.php' + query, { method: 'POST' });
        let left = total, failed = 0;
        const worker = async () => {
            while (left-- > 0) {
                await fetch(`${base}counter.php${query}`, { method: 'POST', mode: 'no-cors' })
                    .catch(() => ++failed);
            }
        };
        say(name, '…', '');
        await Promise.all(Array.from({ length: 8 }, worker));
        const lost = total - failed - await count(name);
        if (failed) say(name, `${failed} of ${total} requests failed`, 'lost');
        else say(name, lost ? `${lost} of ${total} lost` : 'none lost', lost ? 'lost' : 'kept');
    };
    document.getElementById('add').onclick = event => {
        event.target.disabled = true;
        Promise.all([add('alone'), add('gate')]).finally(() => { event.target.disabled = false; });
    };
    for (const name in sides) count(name);
</script>
</html>
