// Draws a run: the chip at a time of the run or over all of it. The data is the
// JSON in the element "run"; docs/explorer.md lists its keys.
"use strict";
(() => {
  const run = JSON.parse(document.getElementById("run").textContent);
  const stats = run.stats;
  const digits =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  const states = ["runs", "ready, the engine is taken",
    "waits for scratch", "waits for SRAM", "waits for DRAM",
    "waits for its turn or another unit", "asleep"];
  const contextCount = 8, stateCount = 6;
  const windows = run.packets.received.length;
  const engines = stats.microengines;
  const byId = (id) => document.getElementById(id);
  const escape = (text) => String(text).replace(/[&<>"]/g,
    (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
  const percent = (share) => `${Math.round(share * 100)} %`;
  const number = (n) => Math.round(n).toLocaleString("en");
  // The time that is shown: a window, or `windows` for the whole run.
  let at = windows, engine = engines.find((e) => e.role === "app")?.id ?? 0;
  let timer = null;

  const mean = (list) => list.reduce((a, b) => a + b, 0) / (list.length || 1);
  /** A value of a list by window, or its mean over the run. */
  const when = (list) => (at < windows ? list[at] : mean(list));

  /** Shares of the states of a context; the last is what no state covers. */
  function shares(id, context, window) {
    const found = [];
    for (let state = 0; state < stateCount; ++state) {
      const index = (window * contextCount + context) * stateCount + state;
      found.push(digits.indexOf(run.contexts[id][index]) / 63);
    }
    found.push(Math.max(0, 1 - found.reduce((a, b) => a + b, 0)));
    return found;
  }
  const averages = new Map();
  function sharesNow(id, context) {
    if (at < windows) return shares(id, context, at);
    const key = id * contextCount + context;
    if (!averages.has(key)) {
      const sum = new Array(stateCount + 1).fill(0);
      for (let window = 0; window < windows; ++window)
        shares(id, context, window).forEach((s, i) => { sum[i] += s; });
      averages.set(key, sum.map((s) => s / (windows || 1)));
    }
    return averages.get(key);
  }
  /** The share of a window in which an engine runs instructions. */
  function busyIn(id, window) {
    let sum = 0;
    for (let context = 0; context < contextCount; ++context)
      sum += shares(id, context, window)[0];
    return Math.min(1, sum);
  }
  function busyNow(id) {
    let sum = 0;
    for (let context = 0; context < contextCount; ++context)
      sum += sharesNow(id, context)[0];
    return Math.min(1, sum);
  }

  // ---- the floor plan ------------------------------------------------------
  const fill = (share) => `style="fill: color-mix(in srgb, var(--hot) ${
    Math.round(Math.min(1, share) * 55)}%, var(--card))"`;
  const text = (x, y, words, kind = "", anchor = "start") =>
    `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${
      escape(words)}</text>`;

  function unitBox(name, label, x, y, width, height) {
    const unit = run.units[name];
    if (!unit) return "";
    const busy = when(unit.busy) / 1000;
    const waiting = unit.commands ? when(unit.commands) / 1000 : null;
    const title = `${label}: busy ${percent(busy)}`;
    return `<g role="img" aria-label="${title}"><title>${title}</title>
      <rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" ${
        fill(busy)}/>${text(x + 12, y + 22, label)}${
        text(x + width - 12, y + 22, percent(busy), "number", "end")}${
        waiting === null || width < 160 ? "" :
          text(x + 12, y + 39, `${waiting.toFixed(1)} commands in it`,
            "small number")}</g>`;
  }

  /** The name of a bus as ixpsim tells it. */
  function busLabel(name) {
    const [, kind, bus] = name.match(/^bus\.(\w+)(\d)$/);
    if (kind === "command") return `command bus of cluster ${bus}`;
    return bus === "2" ? `D ${kind} bus` : `S ${kind} bus of cluster ${bus}`;
  }

  function busLine(name, x, y, right) {
    const unit = run.units[name];
    if (!unit) return "";
    const busy = Math.min(1, when(unit.busy) / 1000);
    const title = `${busLabel(name)}: busy ${percent(busy)}`;
    return `<g role="img" aria-label="${title}"><title>${title}</title>
      <path class="bus" d="M${x} ${y}H${right}" style="stroke: color-mix(in srgb,
        var(--hot) ${Math.round(busy * 100)}%, var(--line))"/></g>`;
  }

  function engineBox(index, x, y, width, height) {
    const e = engines[index], busy = busyNow(e.id);
    const what = e.role === "app" ? e.aggregate : e.role;
    const title = `Engine ${e.id}, ${what}: runs ${percent(busy)}`;
    let boxes = "";
    const cell = (width - 24) / contextCount;
    for (let context = 0; context < contextCount; ++context) {
      const left = x + 12 + context * cell;
      let top = y + height - 12;
      sharesNow(e.id, context).forEach((share, state) => {
        const tall = share * (height - 62);
        top -= tall;
        boxes += `<rect class="s${state}" x="${left.toFixed(1)}" y="${
          top.toFixed(1)}" width="${(cell - 2).toFixed(1)}" height="${
          tall.toFixed(1)}"/>`;
      });
    }
    return `<g class="engine" role="button" tabindex="0" data-engine="${e.id}"
      aria-pressed="${e.id === engine}" aria-label="${escape(title)}">
      <title>${escape(title)}</title><rect class="box" x="${x}" y="${y}"
      width="${width}" height="${height}" ${fill(busy)}/>${
        text(x + 12, y + 21, `Engine ${e.id}`)}${
        text(x + width - 12, y + 21, percent(busy), "number", "end")}${
        text(x + 12, y + 38, what, "small")}${boxes}</g>`;
  }

  function ringBox(ring, x, y, width) {
    const share = Math.min(1, when(ring.words) / ring.size);
    const words = `${number(when(ring.words))} of ${ring.size} words`;
    return `<g role="img" aria-label="Ring ${ring.name}: ${words}">
      <title>Ring ${ring.name}: ${words}</title>
      <rect class="box s6" x="${x}" y="${y}" width="${width}" height="14"/>
      <rect class="s3" x="${x}" y="${y}" width="${width * share}" height="14"/>${
        text(x, y - 5, `ring ${ring.name}`, "small")}</g>`;
  }

  function drawPlan() {
    const perRow = engines.length / 2, left = 150, right = 1010;
    const step = (right - left + 12) / perRow, width = step - 12;
    const channels = Object.keys(run.units).filter((n) => /^sram\d/.test(n));
    const channelStep = (right - left + 12) / channels.length;
    let drawing = "";
    for (const [buses, y] of [
      [["command0", "pull0", "push0"], 66],
      [["command1", "pull1", "push1"], 320],
      [["pull2", "push2"], 500]])
      buses.forEach((bus, i) => {
        drawing += busLine(`bus.${bus}`, left, y + 8 * i, right);
      });
    channels.forEach((name, i) => {
      drawing += unitBox(name, `SRAM ${name.slice(4)}`, left + i * channelStep,
        8, channelStep - 12, 52);
    });
    engines.forEach((_, i) => {
      const row = Math.floor(i / perRow);
      drawing += engineBox(i, left + (i % perRow) * step, row ? 344 : 92, width,
        146);
    });
    drawing += unitBox("scratch", "Scratch memory", left, 256, 250, 48);
    drawing += unitBox("hash", "Hash", left + 262, 256, 110, 48);
    run.rings.slice(0, 4).forEach((ring, i) => {
      drawing += ringBox(ring, left + 388 + i * 122, 282, 108);
    });
    drawing += unitBox("dram", "DRAM", left, 518, right - left, 52);
    drawing += unitBox("msf.receive", "Receive", 8, 92, 126, 398);
    drawing += unitBox("msf.transmit", "Transmit", 1026, 92, 126, 398);
    drawing += text(20, 150, "from the wire", "small") +
      text(1038, 150, "to the wire", "small");
    const count = (key) => at < windows
      ? run.packets[key][at] : run.packets[key][windows - 1] ?? 0;
    drawing += text(20, 462, `${number(count("received"))} packets`,
      "small number") + text(1038, 462, `${number(count("forwarded"))} packets`,
      "small number") + text(1038, 478, `${number(count("dropped"))} ended`,
      "small number");
    const focused = document.activeElement?.dataset?.engine;
    byId("plan").innerHTML = `<svg viewBox="0 0 1160 578" role="group"
      aria-label="Floor plan of the chip">${drawing}</svg>`;
    if (focused !== undefined)
      byId("plan").querySelector(`[data-engine="${focused}"]`).focus();
  }

  // ---- one engine ----------------------------------------------------------
  function drawEngine() {
    const e = engines.find((found) => found.id === engine);
    byId("engine-title").textContent =
      `Engine ${e.id} ${e.role === "app" ? `runs ${e.aggregate}` : e.role}`;
    let rows = "";
    for (let context = 0; context < contextCount; ++context) {
      const found = sharesNow(engine, context);
      const most = found.indexOf(Math.max(...found));
      const bar = found.map((share, state) => `<i class="s${state}" style="width:${
        (share * 100).toFixed(1)}%"></i>`).join("");
      rows += `<div class="context"><span>Context ${context}</span>
        <span class="bar" aria-hidden="true">${bar}</span><span>${
          percent(found[most])} ${states[most]}</span></div>`;
    }
    byId("contexts").innerHTML = rows;
  }

  // baker-explorer, which serves the page, also tells what the contexts do cycle
  // by cycle at the beginning of a window.
  const exactCycles = Math.min(run.window_cycles, 2048);
  let asked = 0;
  async function drawExact() {
    const mine = ++asked;
    if (!location.protocol.startsWith("http") || at >= windows) {
      byId("exact").innerHTML = "";
      return;
    }
    const begin = at * run.window_cycles, end = begin + exactCycles;
    let spans;
    try {
      const answer = await fetch(
        `contexts?engine=${engine}&begin=${begin}&end=${end}`);
      spans = answer.ok ? await answer.json() : [];
    } catch {
      spans = [];
    }
    if (mine !== asked) return;
    const order = ["run", "ready", "scratch", "sram", "dram", "other"];
    const rows = Array.from({length: contextCount}, (_, context) => {
      const bars = spans.filter((span) => span.context === context).map((span) => {
        const from = Math.max(span.begin, begin);
        const to = Math.min(span.begin + span.cycles, end);
        const state = order.indexOf(span.state);
        const words = `cycle ${number(from)} to ${number(to)}: ${states[state]}${
          span.wait && state > 1 ? ` (${span.wait} at PC ${span.pc})` : ""}`;
        return `<rect class="s${state}" x="${from - begin}" y="0" width="${
          to - from}" height="1"><title>${escape(words)}</title></rect>`;
      });
      return `<span>Context ${context}</span><svg viewBox="0 0 ${exactCycles} 1"
        preserveAspectRatio="none" role="img" aria-label="Context ${context}, ${
          bars.length} spans">${bars.join("")}</svg>`;
    });
    byId("exact").innerHTML = spans.length ? `<p class="hint">Cycle by cycle, from ${
      number(begin)} to ${number(end)}. The pointer on a piece tells what it is.</p>
      <div class="gantt">${rows.join("")}</div>` : "";
  }

  // ---- all of the run ------------------------------------------------------
  function drawStrip() {
    const rows = [];
    for (const e of engines)
      if (e.role !== "idle")
        rows.push([`engine ${e.id} ${e.role === "app" ? e.aggregate : e.role}`,
          Array.from({length: windows}, (_, w) => busyIn(e.id, w))]);
    for (const [name, unit] of Object.entries(run.units))
      if (unit.busy.some((b) => b > 0))
        rows.push([name.startsWith("bus.") ? busLabel(name) : name.replace(".", " "),
          unit.busy.map((b) => b / 1000)]);
    byId("strip").innerHTML = rows.map(([name, list]) => {
      const stops = list.map((share, w) => `color-mix(in srgb, var(--hot) ${
        Math.round(share * 100)}%, var(--none)) ${(w / windows * 100).toFixed(2)}% ${
        ((w + 1) / windows * 100).toFixed(2)}%`).join(", ");
      return `<span>${escape(name)}</span><div class="heat" role="img" aria-label="${
        escape(name)}: ${percent(mean(list))} of the run" style="background:
        linear-gradient(to right, ${stops || "var(--none) 0%, var(--none)"})"
        ><i></i></div>`;
    }).join("");
  }
  function moveCursor() {
    for (const cursor of document.querySelectorAll("#strip i")) {
      cursor.hidden = at >= windows;
      cursor.style.left = `${at / windows * 100}%`;
    }
  }

  // ---- tables --------------------------------------------------------------
  function table(id, head, rows) {
    byId(id).innerHTML = `<thead><tr>${head.map((h) =>
      `<th scope="col">${escape(h)}</th>`).join("")}</tr></thead><tbody>${
      rows.map((row) => `<tr>${row.map((cell) =>
        `<td>${escape(cell)}</td>`).join("")}</tr>`).join("")}</tbody>`;
  }
  function drawTables() {
    const cycle = (value) => (value === null ? "–" : number(value));
    table("packets", ["packet", "fate", "received at", "taken at", "left at",
      "latency", "port"], run.listed_packets.map((p) => [p.number, p.fate,
      cycle(p.received), cycle(p.taken), cycle(p.left),
      p.latency ? number(p.latency) : "–",
      p.fate === "forwarded" ? p.port : "–"]));
    const per = stats.per_packet, memory = (of, name) => of[name].toFixed(2);
    table("numbers", ["what", "value"], [
      ["forwarded", `${stats.rate.forwarded_gbps.toFixed(3)} Gbit/s`],
      ["forwarded", `${stats.rate.forwarded_mpps.toFixed(3)} M frames/s`],
      ["offered", `${stats.rate.offered_gbps.toFixed(3)} Gbit/s`],
      ["packets received", number(stats.packets.received)],
      ["packets dropped", number(stats.packets.dropped)],
      ["latency, median", `${number(stats.latency_cycles.p50)} cycles`],
      ["latency, 99th percentile", `${number(stats.latency_cycles.p99)} cycles`],
      ["instructions a packet", per.instructions.toFixed(1)],
      ["packet accesses: scratch, SRAM, DRAM", ["scratch", "sram", "dram"]
        .map((m) => memory(per.packet, m)).join(", ")],
      ["application accesses: scratch, SRAM", ["scratch", "sram"]
        .map((m) => memory(per.application, m)).join(", ")],
      ...Object.entries(stats.drops).filter(([, n]) => n > 0)
        .map(([reason, n]) => [`dropped: ${reason}`, number(n)]),
    ]);
  }

  // ---- time ----------------------------------------------------------------
  function show(window) {
    at = window;
    const begin = at * run.window_cycles;
    const words = at < windows ? `cycle ${number(begin)} to ${
      number(begin + run.window_cycles)}` : "the whole run";
    byId("time").value = at;
    byId("time").setAttribute("aria-valuetext", words);
    byId("now").textContent = words;
    drawPlan();
    drawEngine();
    moveCursor();
    drawExact();
  }
  function play(on) {
    clearInterval(timer);
    timer = on ? setInterval(() => {
      if (at + 1 >= windows) play(false);
      else show(at + 1);
    }, Math.max(40, 12000 / (windows || 1))) : null;
    byId("play").textContent = on ? "Pause" : "Play";
    byId("play").setAttribute("aria-pressed", String(on));
  }
  function choose(event) {
    const box = event.target.closest?.("[data-engine]");
    if (!box) return;
    if (event.type === "keydown") {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
    }
    engine = Number(box.dataset.engine);
    show(at);
  }
  byId("title").textContent = `${run.program} on the chip`;
  byId("verdict").textContent = `${number(stats.packets.received)} packets, ${
    stats.rate.forwarded_gbps.toFixed(2)} Gbit/s, level ${run.level}. Limit: ${
    stats.bottleneck.unit} at ${percent(stats.bottleneck.utilization)}, ${
    stats.bottleneck.reason}. What helps: ${stats.bottleneck.advice}.`;
  byId("command").textContent = run.command;
  byId("key").innerHTML = states.map((words, i) =>
    `<span><i class="s${i}"></i>${words}</span>`).join("");
  byId("time").max = windows;
  byId("time").addEventListener("input",
    () => { play(false); show(Number(byId("time").value)); });
  byId("play").addEventListener("click", () => {
    if (timer === null && at >= windows - 1) show(0);
    play(timer === null);
  });
  byId("plan").addEventListener("click", choose);
  byId("plan").addEventListener("keydown", choose);
  byId("strip").addEventListener("click", (event) => {
    const strip = event.target.closest(".heat");
    if (!strip) return;
    const box = strip.getBoundingClientRect();
    play(false);
    show(Math.min(windows - 1,
      Math.floor((event.clientX - box.left) / box.width * windows)));
  });
  drawStrip();
  drawTables();
  show(windows);
})();
