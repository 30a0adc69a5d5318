// The part of the live page about a cluster: page.js loads it when the process has one. As there,
// texts of others become text nodes only.

let tools = null; // of page.js

const named = ({ name, address }) => `${name} (${address})`;
// The store has no sign of life of the keeper that the record names.
const isLost = ({ keeper, state }, { this_instance: self }) => !keeper.listed && keeper.instance !== self && state !== "free";
const endOfLoss = ({ store_full: full }) => full ? "Nothing starts until the store takes writes again, and another replica keeps the queue."
  : "Nothing starts until another replica keeps the queue.";
const since = (line) => line.state_seconds === null ? "" : ` for ${tools.time(line.state_seconds)}`;

// ── one queue ──

function keeperOf(line, cluster) {
  if (line.keeper === undefined || line.state === "free") {
    return `No replica keeps this queue. Its next request gives it a keeper${cluster.store_full ? " when the store takes writes again" : ""}.`;
  }
  const here = line.keeper.instance === cluster.this_instance;
  const epoch = `epoch ${line.epoch}, ${line.state}${since(line)}`;
  if (isLost(line, cluster)) return `Was kept by ${named(line.keeper)}, ${epoch}. That replica is lost. ${endOfLoss(cluster)}`;
  const closed = cluster.store_full && line.state === "idle" ? ", and opens only when the store takes writes again" : "";
  const term = epoch + closed;
  if (!here) return `Kept by ${named(line.keeper)}, ${term}. Its requests wait and run there; this replica forwards what it gets.`;
  const unsure = cluster.sure_seconds > 0 ? "" : " It is not sure of it now, and starts nothing.";
  return `Kept by this replica, ${cluster.this_name}, ${term}.${unsure}`;
}

function waitOf(line, cluster) {
  const { waits_for: prior, keeper } = line;
  const lost = isLost(line, cluster);
  const where = keeper.instance === cluster.this_instance ? "" : ` at ${lost ? "the lost replica " : ""}${named(keeper)}`;
  const goesOn = lost ? `${endOfLoss(cluster)} ` : cluster.store_full ? "It goes on only when the store takes writes again. " : "";
  const stands = `Stands${where}${since(line)}: requests of epoch ${prior.epoch}, kept by ${named(prior)}, may still run. `;
  if (prior.word) return `${stands}The store has the word that they have ended. ${goesOn}`;
  if (!prior.command) return `${stands}That replica lives, and says itself when they have ended. ${goesOn}`;
  return `${stands}That replica is lost. Stop its process if it still lives, and see in the application that none of its ` +
    `requests runs: a wrong settle lets two run at once. ${goesOn}Then run:`;
}

function makeKeeper(node) {
  const { el, tell } = tools;
  const made = el("div", { class: "keeper" });
  made.text = el("p");
  made.code = el("code", { class: "command" });
  made.copy = el("button", { type: "button" }, "Copy");
  made.copy.addEventListener("click", () => navigator.clipboard.writeText(made.code.textContent).then(() => tell("copied")));
  made.command = el("p", {}, made.code, " ", made.copy);
  made.append(made.text, made.command);
  node.querySelector(".head").after(made);
  return made;
}

function drawKeeper(node, line, cluster) {
  node.keeper = node.keeper || makeKeeper(node);
  const { text, code, command, copy } = node.keeper;
  const prior = line.waits_for;
  tools.say(text, prior ? waitOf(line, cluster) : keeperOf(line, cluster));
  tools.say(code, prior && prior.command ? prior.command : "");
  command.hidden = code.textContent === "";
  copy.hidden = !navigator.clipboard; // only localhost and https have one
  node.keeper.classList.toggle("stands", prior !== undefined);
}

function drawKeepers(cluster) {
  const lines = new Map((cluster.queues || []).map((line) => [line.name, line]));
  for (const [name, node] of tools.byId("queues").kept || []) {
    if (lines.has(name)) drawKeeper(node, lines.get(name), cluster);
    else if (node.keeper) {
      node.keeper.remove();
      node.keeper = null;
    }
  }
}

// ── the replicas and the store ──

function makeSection() {
  const { byId, el } = tools;
  const made = el("section", { id: "cluster", "aria-label": "The cluster" });
  made.heading = el("h2");
  made.problem = el("p", { class: "bad" });
  made.numbers = el("dl", { class: "numbers" });
  made.replicas = el("div");
  made.append(made.heading, made.problem, made.numbers, made.replicas);
  byId("process").before(made);
  return made;
}

function drawSection(cluster) {
  const { byId, el, say, keep, time, drawTable } = tools;
  const node = byId("cluster") || makeSection();
  const { replicas = [], replicas_not_shown: hidden = 0 } = cluster;
  say(node.heading, `The cluster ${cluster.cluster}`);
  node.problem.hidden = cluster.problem === "";
  const { problem, store_full: full } = cluster;
  say(node.problem, full ? `The store is full: ${problem}. What this page says of the cluster is current.`
    : `The store cannot be used: ${problem}. What this page says of the cluster is older.`);
  const sure = cluster.sure_seconds > 0 ? time(cluster.sure_seconds) : "not sure: it starts no request of a clustered queue";
  const store = problem === "" ? "answers" : full ? "takes no writes" : "cannot be used";
  keep(node.numbers, [["this replica", cluster.this_name], ["store", store],
    ["sure for", sure]], ([name]) => name, ([name]) => el("div", {}, el("dt", {}, name), el("dd")),
  (pair, [, value]) => say(pair.lastChild, value));
  const own = (one) => one.instance === cluster.this_instance ? `${one.name} (this one)` : one.name;
  drawTable(node.replicas, "Replicas", hidden, ["Address", "Replica", "Age", "Version"],
    replicas.map((one) => [one.address, own(one), time(one.age_seconds), one.version]));
}

export function draw(view, given) {
  tools = given;
  if (view.cluster) drawSection(view.cluster);
  else if (tools.byId("cluster")) tools.byId("cluster").remove();
  drawKeepers(view.cluster || {});
}
