// The filters of the page of rules: cells are counted anew from what each rule got, and rules that
// do not fit are hidden.
"use strict";

(() => {
  const { load, counts } = kafkaConformance;
  const $ = (id) => document.getElementById(id);
  const items = [...document.querySelectorAll("li[data-rule]")];
  const texts = items.map((item) => item.querySelector(".what").textContent.toLowerCase());
  let latest = 0;

  const wanted = () => ({
    words: $("by-text").value.toLowerCase().split(/\s+/).filter(Boolean),
    class_: $("by-class").value,
    verdict: $("by-verdict").value,
    message: $("by-message").value,
  });
  let asked = JSON.stringify(wanted());

  const fits = (item, at, wish) => (!wish.class_ || item.dataset.class === wish.class_)
    && wish.words.every((word) => texts[at].includes(word));

  /** Target, rule and counts of everything, or of one message. */
  async function rows(index, message) {
    if (message) return load(`m/${index.messages.indexOf(message)}`);
    return index.targets.flatMap((target, at) => target.rules.map(([rule, text]) => [at, rule, text]));
  }

  function paint(cell, [kind, sign, text]) {
    cell.className = `cell ${kind}`;
    cell.querySelector(".sign").textContent = sign;
    cell.querySelector(".count").textContent = text;
  }

  function showRule(item, index, got, verdict) {
    const judged = got.filter(([, found]) => counts.total(found) > (found.unsupported || 0));
    const such = got.filter(([, found]) => counts.has(found, verdict || "broken"));
    const broken = got.filter(([, found]) => counts.broken(found));
    paint(item.querySelector(".cell"), counts.breaking(broken.length, judged.length));
    item.querySelector(".who").textContent = such.map(([at]) => index.targets[at].name).join(", ");
  }

  async function show() {
    const wish = wanted();
    if (JSON.stringify(wish) === asked) return; // a click on what is found ends the typing as well
    asked = JSON.stringify(wish);
    const turn = ++latest;
    const index = await load("index");
    const some = await rows(index, wish.message);
    if (turn !== latest) return; // another wish came in the meantime
    const cells = new Map();
    const rules = items.map(() => []);
    for (const [target, rule, text] of some) {
      if (!fits(items[rule], rule, wish)) continue;
      const place = `${target} ${index.rules[rule].split(".")[0]}`;
      cells.set(place, counts.add(cells.get(place) || {}, text));
      rules[rule].push([target, counts.add({}, text)]);
    }
    for (const cell of document.querySelectorAll("a.cell[data-target]")) {
      const found = cells.get(`${cell.dataset.target} ${cell.dataset.group}`) || {};
      paint(cell, counts.only(found, wish.verdict));
    }
    let visible = 0;
    items.forEach((item, rule) => {
      item.hidden = !rules[rule].some(([, found]) => counts.has(found, wish.verdict));
      visible += item.hidden ? 0 : 1;
      if (!item.hidden) showRule(item, index, rules[rule], wish.verdict);
    });
    $("found").textContent = visible === 1 ? "1 rule" : `${visible} rules`;
  }

  function tell(error) {
    $("found").textContent = error.message;
  }

  const again = () => show().catch(tell);
  for (const event of ["input", "change"]) $("filters").addEventListener(event, again);
  $("filters").addEventListener("reset", () => setTimeout(again));
  addEventListener("pageshow", again); // a browser that went back has the older wishes
})();
