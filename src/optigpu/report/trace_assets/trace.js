"use strict";
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const MARKUP = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const esc = s => String(s).replace(/[&<>"]/g, c => MARKUP[c]);
const kept = (key, value) => {  // a notebook's iframe may have no storage
  try { return value === undefined ? localStorage.getItem("optigpu." + key) : localStorage.setItem("optigpu." + key, value); } catch { return null; }
};
const at = { step: 0, view: "annotated", against: "diff", list: "steps", filter: "", unfolded: new Set() };

// Colours

const KEYWORDS = /^(for|if|else|return|const|while|continue|struct|static|thread|magic|sizeof|in|fun|forall|desync_for|__shared__|__device__)$/;
const TYPES = /^(int|float|double|bool|void|unsigned|char|u?int\d+_t|size_t)$/;
const ANNOTATION = /^\s*__([xs]?(requires|ensures|consumes|produces|preserves|writes|reads)|invariant|ghost|admitted|GHOST\w*|ASSERT|DECL|DEF|AXIOM)\(/;
const C_TOKEN = /\/\/.*|^\s*#\s*pragma.*|"(?:[^"\\]|\\.)*"|#\s*\w+|~~?>(?:\[\w+\])?|[A-Za-z_]\w*|\d[\w.]*|\s+|./g;

function tokens(text) {  // [start, end, class]
  const out = [];
  for (const m of text.matchAll(C_TOKEN)) {
    const w = m[0], start = m.index, end = start + w.length;
    if (w[0] === '"' && w.length > 1 && ANNOTATION.test(text)) {  // a formula
      out.push([start, start + 1, ""]);
      for (const [a, b, c] of tokens(w.slice(1, -1))) out.push([a + start + 1, b + start + 1, c]);
      out.push([end - 1, end, ""]);
      continue;
    }
    let c = "";
    if (w.startsWith("//")) c = "c";
    else if (w[0] === '"') c = "s";
    else if (w.trimStart()[0] === "#") c = "m";
    else if (w.startsWith("~")) c = "o";
    else if (/^\d/.test(w)) c = "u";
    else if (/^[A-Za-z_]/.test(w)) c = KEYWORDS.test(w) ? "k" : TYPES.test(w) ? "t" : /^\(/.test(text.slice(end)) ? "f" : "";
    out.push([start, end, c]);
  }
  return out;
}

const coloured = new Map();
function colour(text, spans) {  // spans: the changed columns, as a flat list
  const key = spans && spans.length ? null : text;
  if (key !== null && coloured.has(key)) return coloured.get(key);
  const cuts = spans || [];
  const marked = i => { for (let n = 0; n < cuts.length; n += 2) if (i >= cuts[n] && i < cuts[n + 1]) return true; return false; };
  let out = "", open = false;
  for (const [a, b, c] of tokens(text)) {
    const edges = [a, ...cuts.filter(x => x > a && x < b), b];
    for (let n = 0; n + 1 < edges.length; n++) {
      const m = marked(edges[n]);
      if (m !== open) { out += m ? "<mark>" : "</mark>"; open = m; }
      const piece = esc(text.slice(edges[n], edges[n + 1]));
      out += c ? `<span class="${c}">${piece}</span>` : piece;
    }
  }
  if (open) out += "</mark>";
  if (ANNOTATION.test(text)) out = `<span class="note">${out}</span>`;
  if (key !== null) coloured.set(key, out);
  return out;
}

const PY_TOKEN = /#.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|\d[\w.]*|\s+|./g;
const PY_WORDS = /^(import|from|as|with|for|in|def|return|if|else|elif|True|False|None|lambda|and|or|not|class|while|try|except)$/;
function python(text) {
  return text.replace(PY_TOKEN, (w, where) => {
    const c = w[0] === "#" ? "c" : w[0] === '"' || w[0] === "'" ? "s" : /^\d/.test(w) ? "u" : PY_WORDS.test(w) ? "k"
      : /^[A-Za-z_]/.test(w) && text[where + w.length] === "(" ? "f" : "";
    return c ? `<span class="${c}">${esc(w)}</span>` : esc(w);
  });
}

// Words

const tone = w => w === "VERIFIED" ? "ok" : w === "UNSUPPORTED" ? "warn" : w === "" || w === "UNCHECKED" ? "" : "bad";
const wrong = s => s.error !== undefined;
const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const time = ms => ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : ms >= 10 ? `${Math.round(ms)} ms` : `${ms} ms`;
const place = s => s.file && s.line ? `${s.file.split("/").pop()}:${s.line}` : s.line ? `line ${s.line}` : "";
const delta = ([p, m]) => (p || m) ? `<span><span class="plus">+${p}</span> <span class="minus">−${m}</span></span>` : "";
const work = s => s.work ? s.work[0] + s.work[1] : 0;

function verdict() {
  const total = D.steps.reduce((n, s) => n + work(s), 0), solver = D.steps.reduce((n, s) => n + (s.work ? s.work[1] : 0), 0);
  const ms = D.steps.reduce((n, s) => n + s.ms, 0), done = D.steps.filter(s => s.n > 0 && !wrong(s)).length;
  const rest = [D.failed >= 0 ? `at step ${D.failed} · ${plural(done, "step")} accepted before it` : plural(done, "step"), `${total} obligations (${total - solver} normaliser, ${solver} solver)`, time(ms), D.restsOn].filter(Boolean).join(" · ");
  $("name").textContent = D.name.split("/").pop();
  $("name").title = D.name;
  $("verdict").innerHTML = `<span class="word ${tone(D.verdict)}">${esc(D.verdict)}</span><span title="${esc(rest)}">${esc(rest)}</span>`;
}

// The steps

function tree() {
  const parts = [], open = [];
  const shut = n => { while (open.length > n) { open.pop(); parts.push("</div></div>"); } };
  D.steps.forEach((s, k) => {
    let same = 0;
    while (same < open.length && same < s.phase.length && open[same] === s.phase[same]) same++;
    shut(same);
    for (const name of s.phase.slice(same)) {
      open.push(name);
      let ms = 0;
      for (let n = k; n < D.steps.length && D.steps[n].phase[open.length - 1] === name; n++) ms += D.steps[n].ms;
      parts.push(`<div class="phase"><div class="name">${esc(name)}<small>${time(ms)}</small></div><div class="inside">`);
    }
    const what = s.closes ? "" : s.source || s.title;
    const repeated = !s.closes && s.source && s.n && !s.source.includes(s.title.split("(")[0]);
    const more = [s.line ? `line ${s.line}` : "", delta(s.changed), wrong(s) ? `<em>${esc(s.word.toLowerCase())}</em>` : s.work ? plural(work(s), "obligation") : "", `<time>${time(s.ms)}</time>`];
    parts.push(`<div class="step${wrong(s) ? " bad" : ""}" role="treeitem" data-k="${k}"><span class="num">${s.n}</span><span class="what">${s.closes ? '<span class="c">the phase as a whole</span>' : python(what)}</span>`
      + (repeated ? `<span class="of">${python(s.title)}</span>` : "")
      + `<span class="more">${more.filter(Boolean).map(x => x[0] === "<" ? x : `<span>${esc(x)}</span>`).join("")}</span></div>`);
  });
  shut(0);
  $("tree").innerHTML = parts.join("") + '<div class="none" hidden>No step matches.</div>';
  const most = Math.max(...D.steps.map(s => s.ms), 1);
  $("times").innerHTML = D.steps.map((s, k) => `<i data-k="${k}" class="${wrong(s) ? "bad" : ""}" style="height:${Math.max(6, 100 * Math.sqrt(s.ms / most))}%" title="step ${s.n}: ${time(s.ms)}"></i>`).join("");
}

function script() {
  const by = new Map();
  D.steps.forEach((s, k) => { if (s.line) by.set(s.line, [...(by.get(s.line) || []), k]); });
  $("script").innerHTML = D.script.replace(/\n$/, "").split("\n").map((text, i) => {
    const ks = by.get(i + 1) || [];
    const tags = ks.length > 3 ? `<b>${D.steps[ks[0]].n}–${D.steps[ks[ks.length - 1]].n}</b>` : ks.map(k => `<b>${D.steps[k].n}</b>`).join("");
    const bad = ks.some(k => wrong(D.steps[k]));
    return `<div class="${ks.length ? "has" : ""}${bad ? " bad" : ""}" data-ks="${ks}"><span class="n">${i + 1}</span><span>${python(text) || " "}</span><span>${tags}</span></div>`;
  }).join("");
  if (!D.script) $("lists").hidden = true;
}

function filter(words) {
  at.filter = words.trim().toLowerCase();
  let any = false;
  document.querySelectorAll(".step").forEach(e => {
    const s = D.steps[e.dataset.k];
    const hit = at.filter.split(/\s+/).every(w => `${s.n} ${s.title} ${s.source} ${s.phase.join(" ")} ${s.word}`.toLowerCase().includes(w));
    e.hidden = !hit; e.style.display = hit ? "" : "none"; any = any || hit;
  });
  document.querySelectorAll(".phase").forEach(e => { e.style.display = [...e.querySelectorAll(".step")].some(x => !x.hidden) ? "" : "none"; });
  document.querySelector("#tree .none").hidden = any;
}

// The code

const FOLD = 40, AROUND = 12;
const view = () => D.views.indexOf(at.view);
const lines = program => D.programs[program][view()][0];
const point = (program, line) => D.programs[program][view()][1][line];

function rowsOf(s) {  // [kind, left, right, left columns, right columns]; kind -1: no comparison
  const runs = at.against === "none" ? null : s[at.against][view()];
  if (!runs) return lines(s.after).map((_, n) => [-1, -1, n]);
  const out = [];
  let l = 0, r = 0;
  for (const [kind, x, y] of runs) {
    if (kind === 2) { out.push([2, l++, r++, x, y]); continue; }
    for (let n = 0; n < x; n++) out.push(kind === 3 ? [3, -1, r++] : kind === 4 ? [4, l++, -1] : [kind, l++, r++]);
  }
  return out;
}

function cell(program, line, side, kind, spans, bad) {
  if (line < 0) return '<i></i><code class="void"></code>';
  const text = D.texts[lines(program)[line]], p = point(program, line);
  const c = (kind === 2 || kind === (side ? 3 : 4) ? (side ? "add" : "del") : kind === 1 ? "moved" : "");
  const indent = text.length - text.trimStart().length;
  return `<i class="${c}">${line + 1}</i><code class="${c}${bad ? " wrong" : ""}" style="--i:${indent}" data-side="${side}" data-line="${line}"${text ? ` data-p="${p}"` : ""}>${colour(text, spans)}</code>`;
}

function code() {
  const s = D.steps[at.step], before = at.against === "all" ? s.first : s.before, rows = rowsOf(s);
  const one = rows.length > 0 && rows[0][0] === -1;
  const target = s.error ? s.error.lines[view()] : -1;
  const parts = s.error && target < 0 ? [card(s)] : [];
  const near = new Uint8Array(rows.length);
  rows.forEach(([kind, , r], n) => { if (one || kind > 1 || (target >= 0 && r === target)) near.fill(1, Math.max(0, n - AROUND), n + AROUND + 1); });
  const changes = rows.some(([kind]) => kind > 1);
  for (let n = 0; n < rows.length; n++) {
    if (changes && !near[n]) {
      let end = n;
      while (end < rows.length && !near[end]) end++;
      if (end - n > FOLD - 2 * AROUND && !at.unfolded.has(n)) { parts.push(`<button class="fold" data-n="${n}">${end - n} unchanged lines</button>`); n = end - 1; continue; }
    }
    const [kind, l, r, ls, rs] = rows[n], bad = target >= 0 && r === target;
    parts.push(one ? `<div class="row one">${cell(s.after, r, 1, kind, null, bad)}</div>`
      : `<div class="row">${cell(before, l, 0, kind, ls)}${cell(s.after, r, 1, kind, rs, bad)}</div>`);
    if (bad) parts.push(card(s));
  }
  const box = $("code");
  box.className = one ? "" : "half";
  box.innerHTML = parts.join("");
  $("point").hidden = true;
  const first = box.querySelector(".error") || box.querySelector(".add,.del");
  box.scrollTop = 0;
  if (first && first.offsetTop - box.offsetTop > box.clientHeight - 80) box.scrollTop = first.offsetTop - box.offsetTop - box.clientHeight / 3;
}

function card(s) {
  const e = s.error;
  const notes = e.notes.map(([name, text]) => `<dt>${esc(name)}</dt><dd class="${/:\d+$/.test(name) ? "at" : ""}">${esc(text)}</dd>`).join("");
  const help = e.help ? `<dt class="help">help</dt><dd class="help">${esc(e.help)}</dd>` : "";
  return `<div class="error"><h3><span class="word bad">${esc(s.word)}</span><code>${esc(e.code)}</code>${esc(e.message)}</h3><dl>${notes}${help}</dl></div>`;
}

function head() {
  const s = D.steps[at.step];
  const facts = [place(s), s.phase.join(" › "), delta(s.changed)];
  if (s.work) facts.push(`${plural(work(s), "obligation")}: ${s.work[0]} normaliser, ${s.work[1]} solver${s.cached ? ` (${s.cached} from the cache)` : ""}`);
  facts.push(time(s.ms));
  if (!s.word) facts.push("checked at the end of the phase");
  $("head").innerHTML = `<span class="word ${tone(s.word)}">${esc(s.word || "in a phase")}</span><span class="title">${python(s.title)}</span>`
    + `<span class="facts">${facts.filter(Boolean).map(x => x[0] === "<" ? x : `<span>${esc(x)}</span>`).join("")}</span>`;
}

// The proof state at a line

function permission([read, cells, contents]) {
  const m = /^(.*?)( for .*?)?( if .*)?$/.exec(cells);
  const dressed = t => t ? esc(t).replace(/^ (for|if) /, ' <span class="k">$1</span> ').replace(/ in /g, ' <span class="k">in</span> ') : "";
  const value = contents[0] === "=" ? ` <span class="v">${esc(contents)}</span>` : ` <span class="nothing">${esc(contents)}</span>`;
  return `<div class="p"><strong>${esc(m[1])}</strong>${dressed(m[2])}${dressed(m[3])}${value}</div>`;
}

function show(element) {
  document.querySelectorAll("code.at").forEach(e => e.classList.remove("at"));
  element.classList.add("at");
  const s = D.steps[at.step], side = +element.dataset.side, line = +element.dataset.line;
  const program = side ? s.after : at.against === "all" ? s.first : s.before;
  const text = D.texts[lines(program)[line]].trim(), n = point(program, line);
  const where = text.startsWith("}") ? "Held at the end of this block" : "Held before this line";
  const close = '<button title="close" aria-label="close">×</button>';
  let inside = "";
  if (n < 0) {
    inside = `<div class="group"><b></b><div>Nothing was recorded here: ${s.word ? "the proof does not pass this line." : "this step is checked at the end of its phase."}</div></div>`;
  } else {
    const [ids, facts] = D.points[n];
    const held = ids.map(i => D.permissions[i]);
    const group = (name, list) => list.length ? `<div class="group"><b>${name}</b><div>${list.map(permission).join("")}</div></div>` : "";
    inside = group("read and write", held.filter(p => !p[0])) + group("read only", held.filter(p => p[0]));
    if (!held.length) inside += '<div class="group"><b></b><div>No memory.</div></div>';
    if (facts.length) inside += `<div class="group"><b>known</b><div class="facts">${facts.map(i => `<code>${esc(D.texts[i])}</code>`).join("")}</div></div>`;
  }
  const box = $("point");
  box.innerHTML = `<h2>${where}<span>line ${line + 1}${side ? "" : ", before the step"}</span><code>${colour(text)}</code>${close}</h2>${inside}`;
  box.hidden = false;
  const low = element.getBoundingClientRect().bottom - box.getBoundingClientRect().top;
  if (low > 0) $("code").scrollTop += low + 24;
}

function hide() {
  $("point").hidden = true;
  document.querySelectorAll("code.at").forEach(e => e.classList.remove("at"));
}

// Navigation

function select(k) {
  at.step = Math.max(0, Math.min(D.steps.length - 1, k));
  at.unfolded.clear();
  document.querySelectorAll(".step.on, #times i.on, #script .on").forEach(e => { e.classList.remove("on"); e.removeAttribute("aria-selected"); });
  const e = document.querySelector(`.step[data-k="${at.step}"]`);
  e.classList.add("on"); e.setAttribute("aria-selected", "true");
  e.scrollIntoView({ block: "nearest" });
  $("times").children[at.step].classList.add("on");
  const line = document.querySelectorAll("#script > div")[D.steps[at.step].line - 1];
  if (line) { line.classList.add("on"); if (at.list === "script") line.scrollIntoView({ block: "nearest" }); }
  head(); code();
  try { history.replaceState(null, "", "#" + D.steps[at.step].n); } catch { /* an iframe without a URL */ }
}

function press(group, name) {
  document.querySelectorAll(`[data-${group}]`).forEach(b => b.setAttribute("aria-pressed", String(b.dataset[group] === name)));
}
function setView(name) { at.view = name; kept("view", name); press("view", name); at.unfolded.clear(); code(); }
function setAgainst(name) { at.against = name; press("against", name); at.unfolded.clear(); code(); }
function setList(name) { at.list = name; press("list", name); $("tree").hidden = name !== "steps"; $("script").hidden = name !== "script"; }
function setTheme(name) { document.documentElement.dataset.theme = name; kept("theme", name); }
const next = (list, x) => list[(list.indexOf(x) + 1) % list.length];
function move(by) {
  const shown = [...document.querySelectorAll(".step")].filter(e => !e.hidden).map(e => +e.dataset.k);
  const here = shown.indexOf(at.step);
  const there = here >= 0 ? shown[here + by] : by > 0 ? shown.find(k => k > at.step) : shown.filter(k => k < at.step).pop();
  if (there !== undefined) select(there);
}

document.addEventListener("click", e => {
  const hit = q => e.target.closest(q);
  let x;
  if ((x = hit(".step") || hit("#times i"))) select(+x.dataset.k);
  else if ((x = hit("#script .has"))) { const ks = x.dataset.ks.split(",").map(Number); select(ks.includes(at.step) ? next(ks, at.step) : ks[0]); }
  else if ((x = hit(".phase > .name"))) x.parentElement.classList.toggle("shut");
  else if ((x = hit("[data-view]"))) setView(x.dataset.view);
  else if ((x = hit("[data-against]"))) setAgainst(x.dataset.against);
  else if ((x = hit("[data-list]"))) setList(x.dataset.list);
  else if (hit("#theme")) setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  else if ((x = hit(".fold"))) { const top = $("code").scrollTop; at.unfolded.add(+x.dataset.n); code(); $("code").scrollTop = top; }
  else if (hit("#point button")) hide();
  else if ((x = hit("#code code[data-p]")) && !String(getSelection())) x.classList.contains("at") ? hide() : show(x);
});
$("filter").addEventListener("input", e => filter(e.target.value));
document.addEventListener("keydown", e => {
  const typing = e.target === $("filter");
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const go = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Escape: () => { if (typing) { e.target.value = ""; filter(""); e.target.blur(); } else hide(); } };
  if (typing) go.Enter = () => { move(document.querySelector(`.step[data-k="${at.step}"]`).hidden ? 1 : 0); e.target.blur(); };
  else Object.assign(go, {
    "/": () => { setList("steps"); $("filter").focus(); $("filter").select(); }, j: () => move(1), k: () => move(-1), Home: () => select(0), End: () => select(D.steps.length - 1),
    a: () => setView(next(D.views, at.view)), c: () => setAgainst(next(["diff", "all", "none"], at.against)),
  });
  if (go[e.key]) { e.preventDefault(); go[e.key](); }
});

setTheme(kept("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
at.view = D.views.includes(kept("view")) ? kept("view") : at.view;
verdict(); tree(); script();
setList("steps"); press("view", at.view); press("against", at.against);
const named = D.steps.findIndex(s => "#" + s.n === location.hash), failed = D.steps.findIndex(wrong);
select(named >= 0 ? named : failed >= 0 ? failed : Math.min(1, D.steps.length - 1));
})();
