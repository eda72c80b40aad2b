"use strict";
// What a report holds reaches the page as text alone: textContent and value, never markup.
// Answers go to the program that served this page, which has them on disk when it replies.
(() => {
  const $ = id => document.getElementById(id);
  const KEYS = { h: "hit", p: "pass", u: "unsure", s: "skip" };
  // a second tap or key that was meant for the output before
  const TOO_SOON = 300;
  // an answer that could not be written is tried again
  const AGAIN = 3000;
  const SOON = "Not taken: the output had only just appeared. Read it, then press again.";
  const GONE = "Not saved: the program that keeps the answers has ended. All earlier"
    + " answers are on its disk; start it again and open the address that it prints.";

  const drafts = new Map();
  let view = null, rater = "", shownAt = 0, queue = Promise.resolve(), latestScore = 0;
  let unsaved = null;

  // what the program is asked

  async function ask(what, body) {
    let reply;
    try {
      reply = await fetch(what, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    } catch {
      throw new Error(GONE);
    }
    if (!reply.ok) throw new Error(`Not saved: ${await reply.text() || reply.status}`);
    return reply.json();
  }

  async function showScore(who) {
    const number = ++latestScore;
    $("result").textContent = "";
    const { score } = await ask("score", { rater: who });
    // of two answers the later one may come first
    if (number === latestScore) $("score").textContent = $("result").textContent = score;
  }

  async function viewOf(what, body = {}, who = view.rater) {
    const found = await ask(what, { rater: who, ...body });
    const { labelled, question } = found;
    const isOther = view?.rater !== who;
    const isTenth = labelled > 0 && labelled % 10 === 0 && what !== "show";
    if (question === null || isTenth || (isOther && labelled)) showScore(who).catch(() => {});
    return { ...found, rater: who };
  }

  function sent(label, note, stays = false) {
    return viewOf("answer", { at: view.at, before: view.label, label, note, stays });
  }

  // what is shown

  function say(text, isWarning = false) {
    $("said").textContent = text;
    $("said").classList.toggle("warning", isWarning);
  }

  // a text with the characters that nobody would see, each kind named where it comes first
  function put(element, text, marks) {
    const chars = Array.from(text), named = new Set();
    let end = 0;
    element.replaceChildren();
    for (const [from, to, name] of marks) {
      const mark = document.createElement("mark");
      mark.textContent = chars.slice(from, to).join("");
      mark.title = name;
      if (!named.has(name)) mark.dataset.name = name;
      named.add(name);
      element.append(chars.slice(end, from).join(""), mark);
      end = to;
    }
    element.append(chars.slice(end).join(""));
  }

  function show(id, name, none) {
    const text = view.question[name];
    put($(id), text || none, text ? view.marks[name] : []);
    $(id).classList.toggle("soft", !text);
  }

  function showView(found) {
    const isNew = !view || found.at !== view.at || found.rater !== view.rater;
    view = found;
    const { question, labelled, others, all, most } = view;
    $("question").hidden = !question;
    $("done").hidden = Boolean(question);
    $("count").textContent = `${labelled}${most ? ` of ${most}` : ""} labelled`
      + (others ? `, ${others} skipped or unsure` : "")
      + (all === labelled ? "" : `; ${all} by all raters`);
    $("progress").hidden = !most;
    $("progress").max = most || 1;
    $("progress").value = labelled;
    $("back").disabled = view.at === 0;
    $("forward").disabled = !view.label;
    $("undo").disabled = !view.undoable;
    $("command").textContent = view.command;
    if (!question) return;
    $("heading").textContent = `Output ${view.at + 1}`;
    show("probe", "probe_shown", "-");
    show("detector", "detector_shown", "-");
    show("goal", "goal", "(the report names none)");
    show("prompt", "prompt", "(empty)");
    show("output", "text", question.text === null ? "(the target gave no text)" : "(empty)");
    $("rule").textContent = question.rule.join(" ");
    $("rest").textContent = view.rest;
    $("triggers-name").hidden = $("triggers").hidden = !view.triggers.length;
    $("triggers").replaceChildren(...view.triggers.map(([text, marks]) => {
      const item = document.createElement("li");
      put(item, text, marks);
      return item;
    }));
    $("note").value = drafts.get(view.at) ?? view.note;
    for (const button of document.querySelectorAll("[data-answer]")) {
      button.setAttribute("aria-pressed", String(view.label === button.dataset.answer));
    }
    if (!isNew) return;
    shownAt = performance.now();
    for (const id of ["prompt", "output"]) $(id).scrollTop = 0;
    window.scrollTo(0, 0);
  }

  // what a rater does: one after the other, and never for another output than was meant

  function goTo(work) {
    queue = queue.then(work).then(showView).catch(error => say(error.message, error.message !== SOON));
  }

  function act(work) {
    const { at } = view;
    goTo(() => {
      if (view.at === at) return work();
      throw new Error(SOON);
    });
  }

  function move(step) {
    if (unsaved) return;
    say("");
    act(() => viewOf("show", { at: Math.max(0, view.at + step) }));
  }

  function answer(label) {
    if (!view?.question) return;
    if (performance.now() - shownAt < TOO_SOON) return say(SOON);
    if (!rater) {
      say("Write your name first: it goes with each answer.");
      $("rater").focus();
      return;
    }
    const note = $("note").value.trim(), { at } = view;
    act(() => save(label, note, at));
  }

  // an answer stays here until it is written, or another one is given
  async function save(label, note, at) {
    const mine = unsaved = {};
    try {
      const next = await sent(label, note);
      unsaved = null;
      drafts.delete(at);
      say(`Output ${at + 1}: ${next.said ?? label}.`);
      return next;
    } catch (error) {
      setTimeout(() => {
        if (unsaved === mine && view.at === at) act(() => save(label, note, at));
      }, AGAIN);
      throw new Error(`${error.message.replace(/\.?$/, ".")} Your answer, ${label}, is kept`
        + " on this page until it is written.");
    }
  }

  function undo() {
    if (view.undoable && !unsaved) act(async () => {
      const found = await viewOf("undo");
      drafts.delete(found.at);
      say(`Output ${found.at + 1}: the answer is taken back.`);
      return found;
    });
  }

  function keepNote() {
    const note = $("note").value.trim();
    if (!view?.label || view.note === note) return;
    act(async () => {
      const same = await sent(view.label, note, true);
      drafts.delete(view.at);
      say(`Output ${view.at + 1}: the note is kept.`);
      return same;
    });
  }

  function setRater(name) {
    if (unsaved) name = rater;
    name = name.normalize("NFC").trim();
    $("rater").value = name;
    if (view && name === rater) return;
    if (rater) drafts.clear();
    rater = name;
    $("help").open = !rater;
    say("");
    if (rater) goTo(() => viewOf("show", {}, name));
  }

  // keys and taps

  const COMMANDS = {
    b: () => move(-1), z: undo,
    f: () => { if (view.label) move(1); },
    n: () => { if (view.question) $("note").focus(); },
    r: () => { $("more").open = !$("more").open; },
    "?": () => { $("help").open = !$("help").open; },
  };
  const OTHER_NAMES = { arrowleft: "b", backspace: "b", arrowright: "f" };

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    let key = event.key.toLowerCase();
    if (event.target.closest("input")) {
      if (key === "enter" || key === "escape") event.target.blur();
      return;
    }
    key = OTHER_NAMES[key] ?? key;
    if (key in KEYS) {
      if (!event.repeat) answer(KEYS[key]);
    } else if (key in COMMANDS) {
      if (view) COMMANDS[key]();
    } else return;
    event.preventDefault();
  }

  function onClick(event) {
    const button = event.target.closest("button");
    if (!button) return;
    // else a space that is to scroll would press it once more
    if (event.detail) button.blur();
    if (button.dataset.answer) answer(button.dataset.answer);
    else if (button.dataset.key) COMMANDS[button.dataset.key]();
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onClick);
  window.addEventListener("beforeunload", event => { if (unsaved) event.preventDefault(); });
  $("rater").addEventListener("change", () => setRater($("rater").value));
  $("note").addEventListener("input", () => drafts.set(view.at, $("note").value));
  $("note").addEventListener("change", keepNote);
  setRater($("rater").value);
})();
