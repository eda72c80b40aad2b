"use strict";
// What a report holds reaches the page as text alone: textContent and value, never markup.
(() => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const questions = data.questions;
  const KEYS = { h: "hit", p: "pass", u: "unsure", s: "skip" };
  const ANSWERS = Object.values(KEYS);
  const JUDGEMENTS = ["hit", "pass"];
  const FIELDS = ["attempt", "output_index", "detector", "label", "rater", "note", "drawn", "time"];
  const PREFIX = "garak-tbsa label ";
  // a second tap or key that was meant for the output before
  const TOO_SOON = 300;
  const MOST_IMPORTED = 64 * 1024 * 1024;

  const answers = new Map();
  const drafts = new Map();
  const undoable = [];
  let rater = "", at = 0, shownAt = 0, isKept = true, isExported = true;

  const keyOf = (place, who = rater) =>
    JSON.stringify([data.report, who, place.attempt, place.output_index, place.detector]);
  const answerOf = index => answers.get(keyOf(questions[index]));
  const inPage = new Set(questions.map(place => keyOf(place, "")));

  // what is kept in the browser

  function stored(work) {
    try {
      return work(window.localStorage);
    } catch {
      isKept = false;
      showProblem();
      return undefined;
    }
  }

  const textOf = value => typeof value === "string" ? value : "";

  const nameOf = text => text.normalize("NFC").trim();

  function isAnswer(row) {
    return row !== null && typeof row === "object" && typeof row.attempt === "string"
      && Number.isInteger(row.output_index) && typeof row.detector === "string"
      && ANSWERS.includes(row.label);
  }

  function whole(row, who = textOf(row.rater)) {
    return {
      attempt: row.attempt, output_index: row.output_index, detector: row.detector,
      label: row.label, rater: who, note: textOf(row.note), drawn: row.drawn === true,
      time: Date.parse(textOf(row.time)) ? row.time : "",
    };
  }

  function load() {
    answers.clear();
    stored(storage => {
      for (let i = 0; i < storage.length; i++) {
        const name = storage.key(i);
        if (!name.startsWith(PREFIX + "[")) continue;
        try {
          const key = JSON.parse(name.slice(PREFIX.length));
          const row = JSON.parse(storage.getItem(name));
          if (key[0] !== data.report || !isAnswer(row)) continue;
          const answer = whole(row);
          answers.set(keyOf(answer, answer.rater), answer);
        } catch {
          continue; // another program's
        }
      }
    });
  }

  function keep(key, row) {
    if (row) answers.set(key, row); else answers.delete(key);
    isExported = false;
    stored(storage => {
      if (row) storage.setItem(PREFIX + key, JSON.stringify(row));
      else storage.removeItem(PREFIX + key);
    });
  }

  function now() {
    return new Date().toISOString().slice(0, 19) + "+00:00";
  }

  // what is shown

  function show(id, text, none) {
    $(id).textContent = text || none;
    $(id).classList.toggle("soft", !text);
  }

  function say(text) {
    $("said").textContent = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu,
      char => `\\u{${char.codePointAt(0).toString(16)}}`);
  }

  function showProblem() {
    $("problem").textContent = "This browser does not keep answers for this page."
      + " Export them before you close it.";
    $("problem").hidden = isKept;
  }

  function showQuestion() {
    const asked = questions[at];
    $("asked").hidden = !asked;
    $("done").hidden = Boolean(asked);
    shownAt = performance.now();
    showCounts();
    if (!asked) return;
    const before = answerOf(at);
    $("heading").textContent = `Output ${at + 1} of ${questions.length}`;
    show("probe", asked.probe_shown, "-");
    show("detector", asked.detector_shown, "-");
    show("goal", asked.goal, "(the report names none)");
    show("prompt", data.prompts[asked.prompt], "(empty)");
    show("output", asked.text, asked.text === null ? "(the target gave no text)" : "(empty)");
    $("rule").replaceChildren(...data.rules[asked.rule].map(text => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
    $("note").value = drafts.get(at) ?? before?.note ?? "";
    for (const button of document.querySelectorAll("[data-answer]")) {
      button.setAttribute("aria-pressed", String(before?.label === button.dataset.answer));
    }
    for (const id of ["prompt", "output"]) $(id).scrollTop = 0;
    window.scrollTo(0, 0);
  }

  function showCounts() {
    const own = questions.map((_, index) => answerOf(index)).filter(Boolean);
    const judged = own.filter(row => JUDGEMENTS.includes(row.label)).length;
    const others = own.length - judged;
    $("count").textContent = `${own.length} of ${questions.length} answered`
      + (others ? `, ${others} skipped or unsure` : "");
    $("progress").value = own.length;
    $("back").disabled = at === 0;
    $("undo").disabled = undoable.length === 0;
    for (const button of document.querySelectorAll(".export")) button.disabled = !answers.size;
    $("lines").value = lines();
  }

  function firstUnanswered(from) {
    for (let step = 0; step < questions.length; step++) {
      const index = (from + step) % questions.length;
      if (!answerOf(index)) return index;
    }
    return questions.length;
  }

  function go(index) {
    at = Math.max(0, Math.min(questions.length, index));
    showQuestion();
  }

  function backward() {
    say("");
    go(at - 1);
  }

  function forward() {
    say("");
    const isLast = at + 1 >= questions.length;
    go(isLast && firstUnanswered(0) < questions.length ? at : at + 1);
  }

  // what a rater does

  function answer(label) {
    if (at >= questions.length || performance.now() - shownAt < TOO_SOON) return;
    if (!rater) {
      say("Write your name first: it goes with each answer.");
      $("rater").focus();
      return;
    }
    const place = questions[at], key = keyOf(place);
    undoable.push({ key, index: at, before: answers.get(key) });
    keep(key, {
      attempt: place.attempt, output_index: place.output_index, detector: place.detector,
      label, rater, note: $("note").value.trim(), drawn: true, time: now(),
    });
    drafts.delete(at);
    say(`Output ${at + 1}: ${label}.`);
    go(firstUnanswered(at + 1));
  }

  function undo() {
    const last = undoable.pop();
    if (!last) return;
    keep(last.key, last.before);
    say(`Output ${last.index + 1}: the answer is taken back.`);
    go(last.index);
  }

  function keepNote() {
    const before = at < questions.length ? answerOf(at) : undefined;
    const note = $("note").value.trim();
    if (before && before.note !== note) {
      keep(keyOf(before), { ...before, note, time: now() });
      drafts.delete(at);
      say(`Output ${at + 1}: the note is kept.`);
      showCounts();
    }
  }

  function setRater(name) {
    name = nameOf(name);
    $("rater").value = name;
    if (name === rater) return;
    if (rater) drafts.clear();
    rater = name;
    $("help").open = !rater;
    undoable.length = 0;
    say("");
    go(firstUnanswered(0));
  }

  // files

  function ascii(value) {
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g,
      char => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"));
  }

  function lines() {
    const rows = [...answers.values()].sort((a, b) => (Date.parse(a.time) || 0) - (Date.parse(b.time) || 0));
    return rows.map(row =>
      "{" + FIELDS.map(name => `${ascii(name)}: ${ascii(row[name])}`).join(", ") + "}\n").join("");
  }

  function exportAnswers() {
    const link = document.createElement("a");
    const who = rater.replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "");
    link.href = URL.createObjectURL(new Blob([lines()], { type: "application/jsonl" }));
    link.download = [data.name, who, "labels.jsonl"].filter(Boolean).join(".");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    isExported = true;
    say(`Exported: ${answers.size} answers, as ${link.download}.`);
  }

  function rowOf(line) {
    try {
      const row = JSON.parse(line);
      const who = nameOf(textOf(row?.rater)) || rater;
      return isAnswer(row) && who ? whole(row, who) : null;
    } catch {
      return null;
    }
  }

  function take(text) {
    const counts = { taken: 0, older: 0, other: 0, bad: 0 }, raters = new Set();
    for (const line of text.replace(/^\ufeff/, "").split("\n")) {
      if (!line.trim()) continue;
      const row = rowOf(line);
      if (!row) counts.bad++;
      else if (!inPage.has(keyOf(row, ""))) counts.other++;
      else {
        const key = keyOf(row, row.rater), here = answers.get(key);
        raters.add(row.rater);
        // a later line of a file replaces an earlier one; of two files, the later answer
        if (here && (Date.parse(here.time) || 0) > (Date.parse(row.time) || 0)) counts.older++;
        else {
          keep(key, row);
          counts.taken++;
        }
      }
    }
    if (!rater && raters.size === 1) setRater([...raters][0]);
    drafts.clear();
    undoable.length = 0;
    go(firstUnanswered(0));
    const said = [`Imported: ${counts.taken} answers`];
    if (counts.older) said.push(`${counts.older} older than those here`);
    if (counts.other) said.push(`${counts.other} of outputs that this page does not have`);
    if (counts.bad) said.push(`${counts.bad} lines that are no answers`);
    const strangers = [...raters].filter(who => who !== rater);
    say(said.join(", ") + "." + (strangers.length
      ? ` Some are of ${strangers.join(", ").slice(0, 200)}: use that name to continue.` : ""));
  }

  async function importFile() {
    const file = $("import").files[0];
    if (!file) return;
    try {
      if (file.size > MOST_IMPORTED) throw new Error("it is too large for an export");
      take(await file.text());
    } catch (error) {
      say(`The file was not imported: ${error.message}.`);
    }
    $("import").value = "";
  }

  // keys, taps and other windows

  const COMMANDS = {
    b: backward, f: forward, z: undo,
    arrowleft: backward, arrowright: forward, backspace: backward,
    n: () => { if (at < questions.length) $("note").focus(); },
    r: () => { $("general").open = !$("general").open; },
  };

  function readAgain() {
    if (!isKept) return;
    const isAnswered = () => at < questions.length && Boolean(answerOf(at));
    const before = isAnswered();
    load();
    showCounts();
    if (!before && isAnswered()) {
      say(`Output ${at + 1} was answered in another window.`);
      go(firstUnanswered(at + 1));
    }
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const key = event.key.toLowerCase();
    if (event.target.closest("input, textarea")) {
      if (event.target.type === "text" && (key === "enter" || key === "escape")) {
        event.target.blur();
      }
      return;
    }
    if (key in KEYS) {
      if (!event.repeat) answer(KEYS[key]);
    } else if (key in COMMANDS) {
      COMMANDS[key]();
    } else return;
    event.preventDefault();
  }

  function onClick(event) {
    const button = event.target.closest("button");
    if (!button) return;
    // else a space that is to scroll would press it once more
    if (event.detail) button.blur();
    if (button.dataset.answer) answer(button.dataset.answer);
    else if (button.classList.contains("export")) exportAnswers();
    else if (button.id.startsWith("back")) backward();
    else if (button.id === "forward") forward();
    else if (button.id === "undo") undo();
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  $("rater").addEventListener("change", () => setRater($("rater").value));
  $("note").addEventListener("input", () => drafts.set(at, $("note").value));
  $("note").addEventListener("change", keepNote);
  $("import").addEventListener("change", importFile);
  window.addEventListener("storage", readAgain);
  window.addEventListener("beforeunload", event => {
    if (!isKept && !isExported) event.preventDefault();
  });

  load();
  const known = new Set([...answers.values()].map(row => row.rater));
  setRater(data.rater || (known.size === 1 ? [...known][0] : ""));
  go(firstUnanswered(0));
})();
