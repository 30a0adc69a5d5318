// The live page: draws what /api/v1/events sends. Texts of requests become text nodes only, never
// HTML. Rows are kept by key from picture to picture, so that the keyboard's focus stays.
"use strict";

const byId = (id) => document.getElementById(id);
const squares = 60; // waiting tickets in the picture of a line; the table has more
const slow = 10; // seconds without a free slot: blocked

// ── small tools ──

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function svg(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 0.9995) return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

// Numbers of clustered queues are longer than a double is exact: they stay texts. Quotes in texts
// of requests are escaped: none looks like a member.
function parse(text) {
  return JSON.parse(text.replace(/"(number|blocked_by|inside_of)":(\d{16,})/g, '"$1":"$2"'));
}

const count = (number) => Number(number).toLocaleString("en");
const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;

// One child of `parent` for each item, in their order; a child stays as long as its key.
function keep(parent, items, keyIn, make, update) {
  parent.kept = parent.kept || new Map();
  const old = parent.kept;
  parent.kept = new Map();
  let place = parent.firstChild;
  for (const item of items) {
    const key = keyIn(item);
    if (parent.kept.has(key)) continue;
    const node = old.get(key) || make(item);
    old.delete(key);
    parent.kept.set(key, node);
    update(node, item);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  for (const node of old.values()) node.remove();
}

// A number begins anew with a restart: only with its id it names one request.
const keyOf = (ticket) => `${ticket.number} ${ticket.request_id}`;

// ── one queue ──

const ticketCells = ["number", "state", "time", "request", "client", "behind", "id", "act"];
const ticketTitles = ["Number", "State", "For", "Request", "Client", "Came behind", "Request id", ""];

function table(titles) {
  const body = el("tbody");
  const heads = titles.map((title) => el("th", { scope: "col" }, title));
  const made = el("div", { class: "scroll", tabindex: "0" },
    el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body));
  made.body = body;
  return made;
}

function row(cells, titles) {
  const made = el("tr");
  made.cells_ = {};
  cells.forEach((name, i) => {
    const kind = name === "number" || name === "time" ? "number" : name;
    made.cells_[name] = el("td", { class: kind, "data-label": titles[i] });
    made.append(made.cells_[name]);
  });
  return made;
}

// Requests share the workers of an upstream with other queues, and with those that do not queue.
let workers = []; // of the last picture
function holdersOf(upstream) {
  const busy = workers.filter((one) => one.upstream === upstream && one.state === "busy");
  return busy.slice(0, 3).map((one) => `pid ${one.pid}` + (one.request_id ? ` runs request ${one.request_id}` : " is busy"))
    .concat(busy.length > 3 ? [`${busy.length - 3} more`] : []).join(", ");
}

// A slot whose request was not sent: what it waits for.
function unsentText({ upstream }) {
  if (!workers.some((one) => one.upstream === upstream)) return `nothing is sent yet: it waits for a connection to upstream ${upstream}`;
  const holders = holdersOf(upstream);
  return `nothing is sent yet: it waits for a worker of upstream ${upstream}` + (holders && `; ${holders}`);
}

function marksOf(ticket) {
  const marks = [];
  if (ticket.not_sent) marks.push(unsentText(ticket));
  if (ticket.client === "gone") marks.push("client left");
  if (ticket.client === "timed_out") marks.push("answered after response_timeout");
  if (ticket.client === "slow") marks.push("held back by a slow client");
  if (ticket.end_unknown) marks.push("answered, php-fpm's status page unreadable");
  if (ticket.inside_of) marks.push(`inside of #${ticket.inside_of}`);
  return marks;
}

function stateOf(ticket) {
  if (ticket.held_seconds !== undefined) return [ticket.not_sent ? "not sent" : "running", ...marksOf(ticket)].join(", ");
  return [ticket.ready === false ? "uploading" : "waiting", ...marksOf(ticket)].join(", ");
}

function makeTicketRow() {
  return row(ticketCells, ticketTitles);
}

const behind = { old_process: "the old process", earlier_keeper: "an earlier epoch" };

function fillTicketRow(node, ticket, queue) {
  const cell = node.cells_;
  const holds = ticket.held_seconds !== undefined;
  node.ticket = ticket;
  say(cell.number, `#${ticket.number}`);
  say(cell.state, stateOf(ticket));
  say(cell.time, time(holds ? ticket.held_seconds : ticket.waited_seconds));
  say(cell.request, `${ticket.method} ${ticket.target}`);
  say(cell.client, ticket.client_ip);
  say(cell.behind, ticket.blocked_by ? `#${ticket.blocked_by}` : !holds && behind[queue.elsewhere] || "nobody");
  say(cell.id, ticket.request_id);
  const stops = holds || (queue.order === "arrival" && ticket.ready === false); // others wait for it
  if (stops && !cell.act.firstChild) {
    const button = el("button", { type: "button", class: "risk", "aria-label": `Release #${ticket.number}` }, "Release");
    button.addEventListener("click", () => askRelease(queue.name, node.ticket));
    cell.act.append(button);
  } else if (!stops && cell.act.firstChild) cell.act.replaceChildren();
}

function makeQueue(queue) {
  const node = el("section", { class: "queue", "aria-label": `Queue ${queue.name}` });
  const button = (label, act) => {
    const made = el("button", { type: "button" }, label);
    made.addEventListener("click", () => act(queue.name));
    return made;
  };
  node.state = el("span", { class: "state" });
  node.pause = button("Pause", askPause);
  node.resume = button("Resume", askResume);
  node.numbers = el("dl", { class: "numbers" });
  node.line = el("ol", { class: "line", "aria-label": "The line: slots first, then those who wait" });
  node.running = table(ticketTitles);
  node.waiting = table(ticketTitles);
  node.rest = el("p");
  node.summary = el("summary");
  node.more = el("details", {}, node.summary, node.waiting, node.rest);
  node.charts = el("div", { class: "charts" });
  node.append(el("div", { class: "head" }, el("h2", {}, queue.name), node.state, node.pause, node.resume),
    node.numbers, node.line, node.running, node.more, node.charts);
  return node;
}

function numbersOf(queue) {
  return [
    ["running", `${queue.in_flight} of ${queue.max_in_flight}`],
    ["waiting", count(queue.waiting)],
    ["longest wait", time(queue.oldest_wait_seconds)],
    ["longest hold", time(queue.oldest_hold_seconds)],
    ["a newcomer waits", newcomer(queue)],
    ["order", queue.order],
    ["client left", String(queue.orphaned)],
    ["timed out", String(queue.timed_out)],
    ["held back by slow clients", String(queue.held_back)],
    ["inside calls", String(queue.inside)],
    ["exclusion violations", String(queue.exclusion_violations)],
  ];
}

function newcomer(queue) {
  const seconds = queue.newcomer_wait_seconds;
  if (queue.refuses_newcomers) return "it is refused: the line is full (max_waiting)";
  if (queue.paused && queue.pause_left_seconds === null) return "until somebody resumes the queue";
  if (queue.paused) return `for the end of the pause, ${seconds === null ? "and longer" : `about ${time(seconds)}`}`;
  if (seconds === null) return "nobody knows how long";
  return seconds === 0 ? "not at all" : `about ${time(seconds)}`;
}

const full = (queue) => queue.waiting > 0 && queue.in_flight >= queue.max_in_flight;
const those = (queue) => plural(queue.waiting, "request waits", "requests wait");

// A reload has lowered max_in_flight below what runs.
const aboveLimit = (queue) => queue.in_flight > queue.max_in_flight;
const limitText = ({ in_flight: run, max_in_flight: limit }) =>
  `${count(run)} run, the limit is ${limit}: nobody is admitted until ${run - limit + 1} of them end`;

function aboveText(queue) {
  const [first] = queue.tickets.in_flight;
  if (queue.waiting === 0) return limitText(queue);
  return `${limitText(queue)}; ${those(queue)}, and no slot came free for ${time(queue.stalled_seconds)}` +
    (first ? `; the oldest is #${first.number} ${first.method} ${first.target}, for ${time(first.held_seconds)}` : "");
}

// With several slots, any may come free next.
function blockedText(queue) {
  const [first] = queue.tickets.in_flight;
  const request = first && `#${first.number} ${first.method} ${first.target}`;
  if (first && queue.in_flight === 1 && first.not_sent)
    return `blocked: ${request} has its slot for ${time(first.held_seconds)}, and ${unsentText(first)}; ${those(queue)}`;
  if (first && queue.in_flight === 1)
    return `blocked: ${request} has held its slot for ${time(first.held_seconds)} and keeps ` +
      `${plural(queue.waiting, "request", "requests")} waiting`;
  return `blocked: no slot came free for ${time(queue.stalled_seconds)}, ${those(queue)}` +
    (first ? `; the oldest is ${request}, for ${time(first.held_seconds)}${first.not_sent ? `, and ${unsentText(first)}` : ""}` : "");
}

// Why requests wait though slots are free.
function waitsText(queue) {
  if (queue.elsewhere === "old_process")
    return `waits: the old process of the upgrade still has this queue, ${those(queue)}`;
  if (queue.elsewhere === "other_replica") return `waits: nothing may start here now, ${those(queue)}`;
  const { waiting } = queue.tickets;
  if (queue.order === "arrival" && waiting[0] && !waiting[0].ready)
    return `waits for the upload of #${waiting[0].number}, request id ${waiting[0].request_id}, ${those(queue)}`;
  return waiting.some((ticket) => ticket.ready) ? "" : `waits for ${plural(queue.waiting, "upload", "uploads")}`;
}

function words(queue) {
  const slowly = queue.stalled_seconds > slow;
  if (queue.elsewhere === "earlier_keeper" && !queue.paused)
    return ["blocked", `stands, ${those(queue)}: those of an earlier epoch may still run`];
  if (queue.paused) {
    const left = queue.pause_left_seconds;
    return ["paused", left === null ? "paused until somebody resumes it" : `paused for ${time(left)} more`];
  }
  if (aboveLimit(queue)) return [queue.waiting > 0 && slowly ? "blocked" : "waits", aboveText(queue)];
  if (full(queue) && slowly) return ["blocked", blockedText(queue)];
  const why = queue.waiting > 0 && !full(queue) && waitsText(queue);
  if (why) return [slowly ? "blocked" : "waits", why];
  if (queue.keeper_refuses)
    return ["blocked", `the keeper, ${queue.keeper}, takes no requests of this replica: the log has the reason`];
  if (queue.elsewhere === "other_replica") return ["idle", "this replica starts none of its requests"];
  if (queue.in_flight === 0 && queue.waiting === 0) return ["idle", "idle"];
  return ["moving", queue.waiting === 0 ? "nobody waits" : "moving"];
}

function slotText(ticket, queue, oldest) {
  const parts = [`#${ticket.number} ${ticket.method} ${ticket.target}`, `held for ${time(ticket.held_seconds)}`];
  if (oldest && full(queue) && queue.in_flight === 1 && !ticket.not_sent) parts.push(`blocks ${count(queue.waiting)}`);
  return [...parts, ...marksOf(ticket)].join(" · ");
}

// The slots, a door, those who wait, and how many more.
function picture(queue) {
  const { in_flight: running, waiting } = queue.tickets;
  const items = running.map((ticket, i) => ({
    key: keyOf(ticket), kind: ticket.client === "gone" || ticket.client === "timed_out" || ticket.held_seconds > slow ? "slot bad" : "slot",
    text: slotText(ticket, queue, i === 0), title: `request id ${ticket.request_id}`,
  }));
  for (let i = queue.in_flight; i < Math.min(queue.max_in_flight, queue.in_flight + 3); ++i)
    items.push({ key: `free${i}`, kind: "slot free", text: queue.paused ? "free slot, paused" : "free slot" });
  items.push({ key: "door", kind: "door", text: queue.paused ? "❚❚ paused" : "◄" });
  // With `order: arrival` the head goes first, also while it uploads.
  const next = queue.order === "arrival" ? waiting[0] : waiting.find((ticket) => ticket.ready);
  for (const ticket of waiting.slice(0, squares)) {
    const places = [...(ticket === next ? ["next"] : []), ...(ticket.ready ? [] : ["uploading"])];
    items.push({ key: keyOf(ticket), kind: places.join(" ") || "waits",
      text: [`#${ticket.number}`, places.join(", ")].filter((part) => part !== "").join(" "),
      title: `${ticket.method} ${ticket.target}, from ${ticket.client_ip}, ${places.join(", ") || "waits"}` });
  }
  const hidden = queue.waiting - Math.min(waiting.length, squares);
  if (hidden > 0) items.push({ key: "more", kind: "more", text: `and ${count(hidden)} more` });
  return items;
}

function drawSquare(node, item) {
  say(node, item.text);
  if (node.className !== item.kind) node.className = item.kind;
  if (item.title) node.title = item.title;
}

const places = {
  old_process: "An upgrade is under way: the old process still has requests of this queue, which are not shown here.",
  new_process: "An upgrade is under way: new requests of this queue go to the new process, and are not shown here.",
};

function placeText({ elsewhere, old_process_runs: one, old_process_pid: pid }) {
  return (places[elsewhere] || "") + (pid ? ` It has pid ${pid}: TERM drains it, a second TERM ends it, and what it runs may still run then.` : "") +
    (one ? ` ${one.request}, request id ${one.request_id}, has run there for ${time(one.held_seconds)}.` : "");
}

function drawPlace(node, text) {
  if (text && !node.place) node.querySelector(".head").after(node.place = el("p", { class: "place" }));
  if (!node.place) return;
  node.place.hidden = !text;
  say(node.place, text || "");
}

function drawQueue(node, queue) {
  const [state, text] = words(queue);
  drawPlace(node, placeText(queue));
  node.dataset.state = state;
  say(node.state, text);
  node.pause.hidden = queue.paused;
  node.resume.hidden = !queue.paused;
  keep(node.numbers, numbersOf(queue), ([name]) => name, ([name]) => el("div", {}, el("dt", {}, name), el("dd")),
    (pair, [, value]) => say(pair.lastChild, value));
  keep(node.line, picture(queue), (item) => item.key, () => el("li"), drawSquare);
  const { in_flight: running, inside, waiting, waiting_not_shown: hidden } = queue.tickets;
  const fill = (line, ticket) => fillTicketRow(line, ticket, queue);
  keep(node.running.body, [...running, ...inside], keyOf, makeTicketRow, fill);
  node.running.hidden = running.length === 0;
  keep(node.waiting.body, node.more.open ? waiting : [], keyOf, makeTicketRow, fill);
  say(node.summary, queue.waiting === 0 ? "Nobody waits" : `${plural(queue.waiting, "request waits", "requests wait")}: the line in its order`);
  say(node.rest, hidden > 0 ? `And ${count(hidden)} more. Search finds each of them by its request id.` : "");
}

// ── charts ──

const charts = [
  { title: "Waits", unit: time, lines: [["p50", "wait_p50"], ["p95", "wait_p95"], ["p99", "wait_p99"]] },
  { title: "Holds", unit: time, lines: [["p50", "hold_p50"], ["p95", "hold_p95"], ["p99", "hold_p99"]] },
  { title: "Admitted a second", unit: (n) => n.toFixed(1), lines: [["mean", "admitted"]] },
  { title: "Refused a second", unit: (n) => n.toFixed(1), lines: [["mean", "refused"]] },
];

function path(values, top) {
  let text = "";
  let pen = "M";
  values.forEach((value, i) => {
    if (value === null) { pen = "M"; return; }
    const y = (38 - 36 * value / top).toFixed(1);
    text += pen === "M" ? `M${i} ${y}L${i} ${y}` : `L${i} ${y}`;
    pen = "L";
  });
  return text;
}

function makeChart(chart) {
  const made = el("figure");
  made.caption = el("figcaption");
  made.drawing = svg("svg", { class: "chart", viewBox: "0 0 90 40", preserveAspectRatio: "none", role: "img" });
  chart.lines.forEach((_, i) => made.drawing.append(svg("path", { class: "abc"[i], fill: "none", "vector-effect": "non-scaling-stroke" })));
  made.append(made.caption, made.drawing);
  return made;
}

// The figures of the caption are those of the whole time; the top of the drawing is the highest step.
function drawChart(node, { chart, history, step }) {
  const all = chart.lines.map(([, key]) => history[key]);
  const top = Math.max(1e-9, ...all.flat().filter((value) => value !== null));
  const whole = chart.lines.map(([name, key]) => {
    const value = history.whole[key];
    return `${name} ${value === null ? "–" : chart.unit(value)}`;
  });
  const most = all.flat().some((value) => value !== null) ? chart.unit(top) : "–";
  const span = history.seconds < 60 ? `${history.seconds} s` : `${Math.round(history.seconds / 60)} min`;
  say(node.caption, `${chart.title}, last ${span}: ${whole.join(", ")}; highest ${step} s: ${most}`);
  node.drawing.setAttribute("aria-label", node.caption.textContent);
  all.forEach((values, i) => {
    const offset = Array(Math.max(0, 90 - values.length)).fill(null);
    node.drawing.children[i].setAttribute("d", path([...offset, ...values], top));
  });
}

function drawHistory(history) {
  for (const [name, node] of byId("queues").kept || []) {
    const own = history.queues[name];
    if (!own) continue;
    const items = charts.map((chart) => ({ chart, history: own, step: history.step_seconds }));
    keep(node.charts, items, ({ chart }) => chart.title, ({ chart }) => makeChart(chart), drawChart);
  }
}

// ── the process ──

function ago(now, then) {
  return `${time(Math.max(0, (now - then) / 1000))} ago`;
}

function drawFacts(view) {
  const { config } = view;
  const facts = [
    ["Version", view.version],
    ["Started", ago(view.now, view.started)],
    ["State", view.ready ? "ready" : `draining${view.drain ? `: ${view.drain}` : ""}`],
    ["Configuration", config.file],
    ["In force since", ago(view.now, config.loaded)],
    ["Last reload", config.last_reload === null ? "none since the start" : `${ago(view.now, config.last_reload)}: ` +
      (config.problems.length > 0 ? "refused, the old configuration stays" : config.need_restart.length > 0
        ? "in force, except for what needs a restart" : "in force")],
    ...(view.upgrade ? [["Upgrade", view.upgrade]] : []),
    ["Viewers of this page", String(view.viewers)],
  ];
  keep(byId("facts"), facts.flatMap(([name, value]) => [["dt", name, name], ["dd", name, value]]),
    ([tag, name]) => tag + name, ([tag]) => el(tag), (node, [, , value]) => say(node, value));
  const told = [...config.problems, ...config.need_restart];
  keep(byId("reload"), told.map((text, i) => ({ text, i })), ({ i }) => i, () => el("p", { class: "bad" }),
    (node, { text }) => say(node, text));
}

// Two rows may have the same texts: two certificates of one name.
function drawTable(at, title, hidden, titles, rows) {
  if (!at.table) {
    at.heading = el("h3");
    at.table = table(titles);
    at.append(at.heading, at.table);
  }
  at.hidden = rows.length === 0;
  say(at.heading, hidden > 0 ? `${title} (and ${count(hidden)} more)` : title);
  keep(at.table.body, rows.map((cells, i) => ({ cells, i })), ({ i }) => i, () => row(titles, titles),
    (node, { cells }) => titles.forEach((name, i) => say(node.cells_[name], cells[i])));
}

function upstreamCells(one) {
  const last = one.last_failure_seconds === null ? "" : `${time(one.last_failure_seconds)} ago: ${one.last_failure}`;
  const mine = one.workers !== undefined;
  return [one.upstream, one.address, mine ? `${one.workers} of ${one.max_workers}` : "",
    mine ? plural(one.waiting, "request", "requests") + (one.trouble && `; ${one.trouble}`) : "", count(one.failures), last];
}

function drawProcess(view) {
  drawFacts(view);
  drawTable(byId("upstreams"), "Upstreams", view.upstreams_not_shown,
    ["Upstream", "Address", "Workers", "Wait for a worker", "Failures", "The last failure"], view.upstreams.map(upstreamCells));
  drawTable(byId("workers"), "Workers", view.workers_not_shown,
    ["Worker", "Upstream", "State", "For", "Age", "Requests", "Request id"],
    view.workers.map((one) => [`${one.worker} (pid ${one.pid})`, one.upstream, one.state, time(one.state_seconds),
      time(one.age_seconds), count(one.requests), one.request_id || ""]));
  drawTable(byId("certificates"), "TLS certificates", view.certificates_not_shown, ["Certificate", "Listener", "Days left"],
    view.certificates.map((one) => {
      const days = Math.floor((one.expires - view.now / 1000) / 86400);
      const what = one.ends ? `, of its intermediate ${one.ends}` : "";
      const begins = new Date(one.begins * 1000).toISOString().slice(0, 16).replace("T", " ");
      const early = one.begins > view.now / 1000 ? `not valid before ${begins} UTC; ` : "";
      return [one.subject, one.listener, early + (days < 0 ? "expired" : days < 14 ? `${days}, renew it now` : String(days)) + what];
    }));
}

// ── search ──

let searched = "";
let searchedAt = 0;

async function search() {
  const id = byId("id").value.trim();
  searched = id;
  searchedAt = Date.now();
  const box = byId("found");
  box.hidden = id === "";
  if (id === "") return;
  let lines;
  try {
    const answer = await fetch(`/api/v1/tickets?request_id=${encodeURIComponent(id)}`);
    lines = answer.ok ? found(parse(await answer.text())) : [el("p", { class: "bad" }, await answer.text())];
  } catch (error) {
    lines = [el("p", { class: "bad" }, "ticketgate does not answer; nobody knows where this request is.")];
  }
  if (searched === id) box.replaceChildren(el("h2", {}, `Request ${id}`), ...lines);
}

function found({ tickets, more }) {
  const none = "No request with this id waits or runs in a queue now. The access log has those that are done.";
  const cut = `More requests begin with this: these are the first ${tickets.length}. Give more characters of the id.`;
  return [...tickets.map(whereIs), ...(tickets.length === 0 ? [none] : []), ...(more ? [cut] : [])]
    .map((text) => el("p", {}, text));
}

function whereIs(ticket) {
  const what = `${ticket.method} ${ticket.target} from ${ticket.client_ip} (${ticket.request_id})`;
  if (ticket.held_seconds !== undefined)
    return `#${ticket.number} of queue ${ticket.queue}: ${stateOf(ticket)} for ${time(ticket.held_seconds)}. ${what}`;
  return `#${ticket.number} of queue ${ticket.queue}: ${stateOf(ticket)} for ${time(ticket.waited_seconds)}, ` +
    `${plural(ticket.position, "request", "requests")} ahead. ${what}`;
}

// ── actions ──

let act = null; // what the dialog asks about: { path, over, started, sent }
let latest = null; // the last picture
let before = null; // the element that had the focus

// `over`: why there is nothing left to do in this picture; "": there is.
function ask(title, risk, yes, path, withTime, over) {
  act = { path, over, started: latest && latest.started };
  before = document.activeElement;
  say(byId("ask-title"), title);
  say(byId("ask-risk"), risk);
  say(byId("ask-yes"), yes);
  say(byId("ask-error"), "");
  byId("ask-yes").disabled = false;
  byId("ask-time").hidden = !withTime;
  byId("time").value = "";
  byId("ask").showModal();
  (withTime ? byId("time") : byId("ask-no")).focus();
}

// A question is about what its picture showed. When that is over, a late answer would be about something else.
function checkQuestion(view) {
  if (!byId("ask").open || act.sent || byId("ask-yes").disabled) return;
  const why = act.started !== null && act.started !== view.started
    ? "ticketgate has started anew since this question. Nothing was done: cancel, and look again." : act.over(view);
  if (why === "") return;
  byId("ask-yes").disabled = true;
  say(byId("ask-error"), why);
  byId("ask-no").focus();
}

// Asks about this queue. One that the picture does not show is not known to be over.
function inQueue(name, over) {
  return (view) => {
    const queue = view.queues.find((one) => one.name === name);
    return queue ? over(queue) : "";
  };
}

function askRelease(queue, ticket) {
  const over = inQueue(queue, ({ tickets }) => tickets.in_flight_not_shown > 0 ||
    tickets.waiting_not_shown > 0 || [...tickets.in_flight, ...tickets.inside, ...tickets.waiting].some((one) => keyOf(one) === keyOf(ticket)) ? ""
    : "This request is over, or its slot is free already. Nothing was released.");
  ask(`Release #${ticket.number} of ${queue}?`,
    ticket.held_seconds === undefined ? `${ticket.method} ${ticket.target}, request id ${ticket.request_id}, has no slot yet. ` +
    "It leaves the line and its client gets an error; nothing reaches the backend."
    : ticket.not_sent ? `Of ${ticket.method} ${ticket.target}, request id ${ticket.request_id}, nothing is sent yet. ` +
    "Its client gets an error, and the next request waits in its place. That helps only if it goes to another upstream. " +
    "If it is sent meanwhile, its backend may still run it, and the release counts as an exclusion violation."
    : `The backend may still work on ${ticket.method} ${ticket.target}, request id ${ticket.request_id}. ` +
    "Then the next request runs beside it, which this queue is there to prevent, and it counts as an exclusion " +
    "violation. Release it only if you know that the backend has stopped.", ticket.held_seconds === undefined ? "End the request" : "Release the slot", `/api/v1/queues/${encodeURIComponent(queue)}/release?number=${ticket.number}&` +
    `request_id=${encodeURIComponent(ticket.request_id)}`, false, over);
}

function askPause(queue) {
  ask(`Pause ${queue}?`,
    "Nobody is admitted until it is resumed. Requests that run go on. Those who wait keep their places, but their " +
    "wait_timeout goes on: who waits longer gets an error, and so does who comes when the line is full.",
    "Pause the queue", `/api/v1/queues/${encodeURIComponent(queue)}/pause`, true,
    inQueue(queue, ({ paused }) => paused ? "It is paused by now. Nothing was done: cancel, and look again." : ""));
}

function askResume(queue) {
  ask(`Resume ${queue}?`, "The line goes on in its order. Make sure that the application is there.", "Resume the queue",
    `/api/v1/queues/${encodeURIComponent(queue)}/resume`, false,
    inQueue(queue, ({ paused }) => paused ? "" : "It is not paused any more. Nothing was done."));
}

function askDrain() {
  ask("Drain and stop ticketgate?",
    "It refuses new requests, lets those that run and wait finish within drain_timeout, cuts the rest, and ends. " +
    "The backend may go on with what is cut. A drain ends each pause, so its requests run. " +
    "Unless something starts it again, nobody reaches the application through it.", "Drain and stop", "/api/v1/drain", false,
    (view) => view.ready ? "" : "It drains already.");
}

async function send() {
  const after = byId("time").value.trim();
  const query = !byId("ask-time").hidden && after !== "" ? `?for=${encodeURIComponent(after)}` : "";
  const token = byId("token").value;
  const headers = token === "" ? {} : { Authorization: `Bearer ${token}` };
  act.sent = true; // what the pictures show from here on may be its effect
  try {
    const answer = await fetch(act.path + query, { method: "POST", headers });
    const text = (await answer.text()).trim();
    if (answer.ok) return tell(text);
    if (answer.status === 403) byId("ask-token").hidden = false;
    say(byId("ask-error"), text || `answered with ${answer.status}`);
  } catch (error) {
    say(byId("ask-error"), `no answer: ${error.message}`);
  }
  act.sent = false;
}

function tell(text) {
  byId("ask").close();
  say(byId("told"), text);
  setTimeout(() => say(byId("told"), ""), 6000);
}

// ── the events ──

let events = null;
let retry = 0;
let cluster = null; // its part of this page, loaded when the process has one

function drawCluster(view) {
  cluster = cluster || import("/cluster.js");
  cluster.then((part) => part.draw(view, { byId, el, say, keep, time, drawTable, tell }));
}

// Blocked queues come first; a queue keeps its place as long as its kind stays.
const kinds = ["blocked", "paused with waiters", "waits", "moving", "idle", "paused"];
function kindOf(queue) {
  const [state] = words(queue);
  return kinds.indexOf(state === "paused" && queue.waiting > 0 ? "paused with waiters" : state);
}

function inOrder(queues) {
  const ranked = queues.map((queue) => ({ queue, kind: kindOf(queue) }));
  const blocked = ranked.filter(({ kind }) => kind === 0).length;
  const title = blocked > 0 ? `(${blocked} blocked) ticketgate` : "ticketgate";
  if (document.title !== title) document.title = title;
  return ranked.sort((a, b) => a.kind - b.kind).map(({ queue }) => queue); // stable: by name within a kind
}

function draw(view) {
  latest = view;
  workers = view.workers || [];
  checkQuestion(view);
  say(byId("connection"), view.ready ? `live, ${new Date(view.now).toLocaleTimeString("en-GB")}` : `draining: new requests are refused${view.drain ? `; ${view.drain}` : ""}`);
  byId("connection").className = view.ready ? "" : "lost";
  say(byId("trouble"), view.spool_trouble || "");
  byId("trouble").hidden = !view.spool_trouble;
  keep(byId("queues"), inOrder(view.queues), (queue) => queue.name, makeQueue, drawQueue);
  let rest = byId("rest");
  if (view.queues_not_shown > 0 && !rest) byId("queues").after(rest = el("p", { id: "rest", class: "note" }));
  if (rest) say(rest, view.queues_not_shown > 0 ? `${count(view.queues_not_shown)} more queues, with fewer requests, are not shown.` : "");
  drawProcess(view);
  if (view.cluster || cluster) drawCluster(view);
  if (searched !== "" && Date.now() - searchedAt > 2000) search();
}

async function lost() {
  const old = latest ? "; this picture is old" : "";
  byId("connection").className = "lost";
  say(byId("connection"), `no news from ticketgate${old}`);
  if (events.readyState !== EventSource.CLOSED || retry !== 0) return; // the browser tries again itself
  retry = setTimeout(listen, 3000);
  const why = await refusal();
  if (why !== "" && retry !== 0) say(byId("connection"), `not live: ${why}${old}; this page tries again by itself`);
}

// An EventSource does not tell why it was refused; "": it was not, or nobody answers.
async function refusal() {
  const question = new AbortController();
  try {
    const answer = await fetch("/api/v1/events", { signal: question.signal });
    return answer.ok ? "" : (await answer.text()).trim();
  } catch (error) {
    return "";
  } finally {
    question.abort();
  }
}

function listen() {
  retry = 0;
  if (events) events.close();
  events = new EventSource("/api/v1/events");
  let history = null;
  events.addEventListener("message", (event) => {
    draw(parse(event.data));
    if (history) drawHistory(history);
    history = null;
  });
  events.addEventListener("history", (event) => { history = JSON.parse(event.data); });
  events.addEventListener("error", lost);
}

// A page that nobody sees takes no viewer's place.
function seen() {
  if (!document.hidden) return listen();
  if (events) events.close();
  clearTimeout(retry);
}

byId("search").addEventListener("submit", (event) => { event.preventDefault(); search(); });
byId("id").addEventListener("input", () => { if (byId("id").value === "") search(); });
byId("drain").addEventListener("click", askDrain);
byId("ask-no").addEventListener("click", () => byId("ask").close());
byId("ask").querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); send(); });
byId("ask").addEventListener("close", () => { if (before && before.isConnected) before.focus(); });
document.addEventListener("visibilitychange", seen);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  byId("id").focus();
});
seen();
