"use strict";
// Answers stay in this browser, and leave it as a file that its owner exports.
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);

function say(text) {
  $("said").textContent = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu,
    char => `\\u{${char.codePointAt(0).toString(16)}}`);
}

function keeper(data, page) {
  const questions = data.questions;
  const ANSWERS = ["hit", "pass", "unsure", "skip"], JUDGEMENTS = ["hit", "pass"];
  const FIELDS = ["attempt", "output_index", "detector", "label", "rater", "note", "drawn", "time"];
  const PREFIX = "garak-tbsa label ";
  const MOST_IMPORTED = 64 * 1024 * 1024;

  const answers = new Map();
  let undoable = [], rater = "", at = 0, isKept = true, isExported = true;

  const keyOf = (place, who = rater) =>
    JSON.stringify([data.report, who, place.attempt, place.output_index, place.detector]);
  const answerOf = index => answers.get(keyOf(questions[index]));
  const inPage = new Set(questions.map(place => keyOf(place, "")));

  // what is kept in the browser

  // A busy Chromium gives a page that it is still opening a store that is connected to
  // nothing: earlier answers are not in it, and new ones are lost without an error. Once it
  // has answered a question, it has opened the page.
  async function opened() {
    const late = new Promise(done => setTimeout(done, 10000));
    try {
      await Promise.race([navigator.storage.persisted(), late]);
    } catch {
      // a browser that does not have this question
    }
  }

  function stored(work) {
    try {
      work(window.localStorage);
    } catch {
      isKept = false;
      $("problem").textContent = "This browser does not keep answers for this page."
        + " Export them before you close it.";
      $("problem").hidden = false;
    }
  }

  const textOf = value => typeof value === "string" ? value : "";
  const timeOf = row => Date.parse(textOf(row.time)) || 0;

  function isPlace(row) {
    return row !== null && typeof row === "object" && typeof row.attempt === "string"
      && Number.isInteger(row.output_index) && typeof row.detector === "string";
  }

  function whole(row, who = textOf(row.rater)) {
    return {
      attempt: row.attempt, output_index: row.output_index, detector: row.detector,
      label: row.label, rater: who, note: textOf(row.note), drawn: row.drawn === true,
      time: timeOf(row) ? row.time : "",
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
          if (key[0] !== data.report || !isPlace(row) || !ANSWERS.includes(row.label)) continue;
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

  // where a rater is

  function firstOpen(from) {
    for (let step = 0; step < questions.length; step++) {
      const index = (from + step) % questions.length;
      if (!answerOf(index)) return index;
    }
    return questions.length;
  }

  function viewOf(index) {
    at = Math.max(0, Math.min(questions.length, index));
    const own = questions.map((_, place) => answerOf(place)).filter(Boolean);
    const others = own.filter(row => !JUDGEMENTS.includes(row.label)).length;
    for (const button of document.querySelectorAll(".export")) button.disabled = !answers.size;
    $("lines").value = lines();
    const question = questions[at], before = question && answerOf(at);
    return {
      at, rater, most: questions.length, done: own.length, undoable: undoable.length > 0,
      heading: `Output ${at + 1} of ${questions.length}`,
      count: `${own.length} of ${questions.length} answered`
        + (others ? `, ${others} skipped or unsure` : ""),
      isForward: at + 1 < questions.length || firstOpen(0) === questions.length,
      label: before?.label, note: before?.note ?? "",
      question: question && { ...question, prompt: data.prompts[question.prompt], rule: data.rules[question.rule] },
    };
  }

  async function open(name) {
    rater = name;
    undoable = [];
    return viewOf(firstOpen(0));
  }

  async function answer(view, label, note, stays = false) {
    const place = questions[view.at], key = keyOf(place);
    if (!stays) undoable.push({ key, index: view.at, before: answers.get(key) });
    const time = new Date().toISOString().slice(0, 19) + "+00:00";
    keep(key, whole({ ...place, label, rater, note, drawn: true, time }));
    return viewOf(stays ? view.at : firstOpen(view.at + 1));
  }

  async function undo() {
    const last = undoable.pop();
    keep(last.key, last.before);
    return viewOf(last.index);
  }

  // files

  function ascii(value) {
    return JSON.stringify(value).replace(/[\u007f-\uffff]/g,
      char => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"));
  }

  function lines() {
    const rows = [...answers.values()].sort((a, b) => timeOf(a) - timeOf(b));
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
      const who = textOf(row?.rater).normalize("NFC").trim() || rater;
      const isAnswer = isPlace(row) && [...ANSWERS, "undo"].includes(row.label);
      return isAnswer && who ? whole(row, who) : null;
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
        if (here && timeOf(here) > timeOf(row)) counts.older++;
        else {
          keep(key, row.label === "undo" ? undefined : row);
          counts.taken++;
        }
      }
    }
    undoable = [];
    const said = [`Imported: ${counts.taken} answers`];
    if (counts.older) said.push(`${counts.older} older than those here`);
    if (counts.other) said.push(`${counts.other} of outputs that this page does not have`);
    if (counts.bad) said.push(`${counts.bad} lines that are no answers`);
    if (!rater && raters.size === 1) page.setRater(rater = [...raters][0]);
    else page.goTo(() => viewOf(firstOpen(0)));
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

  function readAgain() {
    if (!isKept) return;
    const before = at < questions.length && answerOf(at);
    load();
    page.goTo(() => {
      if (before || at === questions.length || !answerOf(at)) return viewOf(at);
      say(`Output ${at + 1} was answered in another window.`);
      return viewOf(firstOpen(at + 1));
    });
  }

  for (const button of document.querySelectorAll(".export")) button.addEventListener("click", exportAnswers);
  $("import").addEventListener("change", importFile);
  window.addEventListener("beforeunload", event => {
    if (!isKept && !isExported) event.preventDefault();
  });
  async function begin() {
    await opened();
    window.addEventListener("storage", readAgain);
    load();
    const known = new Set([...answers.values()].map(row => row.rater));
    return data.rater || (known.size === 1 ? [...known][0] : "");
  }

  return { begun: begin(), open, answer, undo, show: async index => viewOf(index) };
}
