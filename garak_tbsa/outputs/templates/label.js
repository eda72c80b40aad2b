// What a report holds reaches the page as text alone: textContent and value, never markup.
(() => {
  const KEYS = { h: "hit", p: "pass", u: "unsure", s: "skip" };
  // a second tap or key that was meant for the output before
  const TOO_SOON = 300;
  const SOON = "Not taken: the output had only just appeared. Read it, then press again.";

  const drafts = new Map();
  const store = keeper(data, { goTo, setRater });
  let view = null, rater = "", shownAt = 0, queue = store.begun;

  // what is shown

  function show(id, text, none) {
    $(id).textContent = text || none;
    $(id).classList.toggle("soft", !text);
  }

  function showView(found) {
    const isNew = !view || found.at !== view.at || found.rater !== view.rater;
    view = found;
    const question = view.question;
    $("question").hidden = !question;
    $("done").hidden = Boolean(question);
    $("count").textContent = view.count;
    $("progress").hidden = !view.most;
    $("progress").max = view.most || 1;
    $("progress").value = view.done;
    $("back").disabled = view.at === 0;
    $("forward").disabled = !view.isForward;
    $("undo").disabled = !view.undoable;
    if (!question) return;
    $("heading").textContent = view.heading;
    show("probe", question.probe_shown, "-");
    show("detector", question.detector_shown, "-");
    show("goal", question.goal, "(the report names none)");
    show("prompt", question.prompt, "(empty)");
    show("output", question.text, question.text === null ? "(the target gave no text)" : "(empty)");
    $("rule").replaceChildren(...question.rule.map(text => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
    $("note").value = drafts.get(view.at) ?? view.note ?? "";
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
    queue = queue.then(work).then(showView).catch(error => say(error.message));
  }

  function act(work) {
    const { at } = view;
    goTo(() => {
      if (view.at === at) return work();
      throw new Error(SOON);
    });
  }

  function move(step) {
    say("");
    act(() => store.show(view.at + step));
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
    act(async () => {
      const next = await store.answer(view, label, note);
      drafts.delete(at);
      say(`Output ${at + 1}: ${next.said ?? label}.`);
      return next;
    });
  }

  function undo() {
    if (view.undoable) act(async () => {
      const found = await store.undo();
      drafts.delete(found.at);
      say(`Output ${found.at + 1}: the answer is taken back.`);
      return found;
    });
  }

  function keepNote() {
    const note = $("note").value.trim();
    if (!view?.label || view.note === note) return;
    act(async () => {
      const same = await store.answer(view, view.label, note, true);
      drafts.delete(view.at);
      say(`Output ${view.at + 1}: the note is kept.`);
      return same;
    });
  }

  function setRater(name) {
    name = name.normalize("NFC").trim();
    $("rater").value = name;
    if (view && name === rater) return;
    if (rater) drafts.clear();
    rater = name;
    $("help").open = !rater;
    say("");
    goTo(() => store.open(name));
  }

  // keys and taps

  const COMMANDS = {
    b: () => move(-1), z: undo,
    f: () => { if (view.isForward) move(1); },
    n: () => { if (view.question) $("note").focus(); },
    r: () => { $("general").open = !$("general").open; },
  };
  const OTHER_NAMES = { arrowleft: "b", backspace: "b", arrowright: "f" };

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    let key = event.key.toLowerCase();
    if (event.target.closest("input, textarea")) {
      if (event.target.type === "text" && (key === "enter" || key === "escape")) event.target.blur();
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
  $("rater").addEventListener("change", () => setRater($("rater").value));
  $("note").addEventListener("input", () => drafts.set(view.at, $("note").value));
  $("note").addEventListener("change", keepNote);
  store.begun.then(name => setRater(rater || name));
})();
