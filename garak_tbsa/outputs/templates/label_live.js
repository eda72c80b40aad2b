"use strict";
// Answers go to the program that served this page, which has them on disk when it replies.
const $ = id => document.getElementById(id);
const data = JSON.parse($("data").textContent);

function say(text) {
  $("said").textContent = text;
}

function keeper(data) {
  const GONE = "Not saved: the program that keeps the answers has ended. All earlier"
    + " answers are on its disk; start it again and open the address that it prints.";
  let rater = "", isOpening = true, latest = 0;

  async function ask(what, body = {}) {
    let reply;
    try {
      reply = await fetch(what, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ rater, ...body }),
      });
    } catch {
      throw new Error(GONE);
    }
    if (!reply.ok) throw new Error(`Not saved: ${await reply.text() || reply.status}`);
    return reply.json();
  }

  async function showScore() {
    const number = ++latest;
    $("result").textContent = "";
    const { score } = await ask("score");
    // of two answers the later one may come first
    if (number === latest) $("score").textContent = $("result").textContent = score;
  }

  async function viewOf(what, body) {
    const found = await ask(what, body);
    const { labelled, others, most, question } = found;
    const isTenth = labelled > 0 && labelled % 10 === 0 && what !== "show";
    if (question === null || isTenth || (isOpening && labelled)) showScore().catch(() => {});
    isOpening = false;
    $("command").textContent = found.command;
    return {
      ...found, rater, done: labelled, isForward: Boolean(found.label),
      heading: `Output ${found.at + 1}`,
      count: `${labelled}${most ? ` of ${most}` : ""} labelled`
        + (others ? `, ${others} skipped or unsure` : ""),
    };
  }

  if (data.next) {
    $("next").href = data.next;
    $("next").hidden = false;
  }
  return {
    begun: Promise.resolve(data.rater),
    open: name => {
      rater = name;
      isOpening = true;
      return viewOf("show");
    },
    show: at => viewOf("show", { at: Math.max(0, at) }),
    answer: (view, label, note, stays = false) =>
      viewOf("answer", { at: view.at, before: view.label ?? null, label, note, stays }),
    undo: () => viewOf("undo"),
  };
}
