// The filters of the matrix: cells are counted anew from what each rule got, and the rules that
// are found are listed with the targets that break them.
"use strict";

(() => {
  const { load, element, counts } = kafkaConformance;
  const MOST_RULES = 80;
  const $ = (id) => document.getElementById(id);
  let latest = 0;
  let before = false;
  let asked = "";

  const wanted = () => ({
    text: $("by-text").value.toLowerCase().split(/\s+/).filter(Boolean),
    class_: $("by-class").value,
    verdict: $("by-verdict").value,
    message: $("by-message").value,
  });

  function fits(rule, wish) {
    const [id, class_, statement, source] = rule;
    const words = `${id} ${statement} ${source}`.toLowerCase();
    return (!wish.class_ || class_ === wish.class_) && wish.text.every((word) => words.includes(word));
  }

  /** Target, rule and counts of everything, or of one message. */
  async function rows(index, message) {
    if (message) return load(`m/${index.messages.indexOf(message)}`);
    return index.targets.flatMap((target, at) => target.rules.map(([rule, text]) => [at, rule, text]));
  }

  function paint(cell, found, verdict) {
    const [kind, sign, text] = counts.only(found, verdict);
    cell.className = `cell ${kind}`;
    cell.querySelector(".sign").textContent = sign;
    cell.querySelector(".count").textContent = text;
  }

  function sum(index, some, shown) {
    const cells = new Map();
    const rules = new Map();
    for (const [target, rule, text] of some) {
      if (!shown.has(rule)) continue;
      const place = `${target} ${index.rules[rule][0].split(".")[0]}`;
      cells.set(place, counts.add(cells.get(place) || {}, text));
      if (!rules.has(rule)) rules.set(rule, []);
      rules.get(rule).push([target, counts.add({}, text)]);
    }
    return [cells, rules];
  }

  function ruleBox(index, rule, got, verdict) {
    const [id, class_, statement, source] = index.rules[rule];
    const told = got.filter(([, found]) => counts.has(found, verdict)).map(([at, found]) => {
      const target = index.targets[at];
      const [kind, sign, text] = counts.only(found, verdict);
      return element("li", {}, element("a", { class: `cell ${kind}`, href: `${target.page}#/r/${encodeURIComponent(id)}` },
        element("span", { class: "sign" }, sign), ` ${target.name} ${text}`));
    });
    return element("article", { class: "found" },
      element("h3", {}, id, " ", element("small", { class: "class" }, class_)),
      element("p", {}, statement, " ", element("small", {}, source)),
      element("ul", { class: "legend" }, told));
  }

  async function show() {
    const wish = wanted();
    if (JSON.stringify(wish) === asked) return; // a click on what is found ends the typing as well
    asked = JSON.stringify(wish);
    const idle = !wish.text.length && !wish.class_ && !wish.verdict && !wish.message;
    const turn = ++latest;
    if (idle && !before) return;
    const index = await load("index");
    const some = await rows(index, wish.message);
    if (turn !== latest) return; // another wish came in the meantime
    before = true;
    const shown = new Set(index.rules.map((rule, at) => (fits(rule, wish) ? at : -1)));
    const [cells, rules] = sum(index, some, shown);
    for (const cell of document.querySelectorAll("a.cell[data-target]")) {
      paint(cell, cells.get(`${cell.dataset.target} ${cell.dataset.group}`) || {}, wish.verdict);
    }
    const found = [...rules].filter(([, got]) => got.some(([, one]) => counts.has(one, wish.verdict)));
    found.sort(([one], [other]) => one - other);
    $("rules").hidden = idle;
    const boxes = idle ? [] : found.slice(0, MOST_RULES).map(([rule, got]) => ruleBox(index, rule, got, wish.verdict));
    $("rules-found").replaceChildren(...boxes);
    const more = found.length > MOST_RULES ? `, the first ${MOST_RULES} below` : "";
    $("found").textContent = idle ? "" : `${found.length} rules${more}`;
  }

  function tell(error) {
    $("found").textContent = error.message;
  }

  const again = () => show().catch(tell);
  for (const event of ["input", "change"]) $("filters").addEventListener(event, again);
  $("filters").addEventListener("reset", () => setTimeout(again));
  if (Object.values(wanted()).some((wish) => wish.length)) again(); // a browser that went back
})();
