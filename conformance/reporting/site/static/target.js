// The page of one target: its rules, one rule with its cases, one failure. What is shown is told
// by the address behind `#`, so that each can be linked to and the way back works.
"use strict";

(() => {
  const { load, element, counts, bytes } = kafkaConformance;
  const $ = (id) => document.getElementById(id);
  const rules = new Map([...document.querySelectorAll("li[data-rule]")].map((item) => [item.dataset.rule, item]));
  const title = document.title;
  const WITHHELD = "withheld";
  let ofMessage = null;
  let arrivedBefore = location.hash !== ""; // whoever followed a link to a place is taken there

  const ruleAddress = (rule) => `#/r/${encodeURIComponent(rule)}`;
  const failureAddress = (rule, at) => `${ruleAddress(rule)}/${at + 1}`;
  const subject = (failure) => (failure.version < 0 ? failure.message : `${failure.message} v${failure.version}`);

  function badge(found, said) {
    const [kind, sign, text] = counts.cell(found);
    return element("span", { class: `cell ${kind}` },
      element("span", { class: "sign" }, sign), element("span", { class: "sr" }, said), ` ${text}`);
  }

  function named(verdict) {
    const [kind, sign] = counts.cell({ [verdict]: 1 });
    return element("span", { class: `cell ${kind}` }, `${sign} ${verdict}`);
  }

  function only(shown) {
    for (const id of ["overview", "rule", "failure"]) $(id).hidden = id !== shown;
  }

  function crumbs(...steps) {
    $("crumb").replaceChildren(...steps.flatMap(([words, href]) => [
      element("span", { "aria-hidden": "true" }, " › "),
      href ? element("a", { href }, words) : element("span", {}, words),
    ]));
  }

  function facts(pairs) {
    return element("dl", { class: "facts" }, pairs.filter(([, value]) => value).flatMap(([term, value]) => [
      element("dt", {}, term), element("dd", {}, value),
    ]));
  }

  function command(words) {
    return element("p", { class: "command" }, element("code", {}, words), " ",
      element("button", { type: "button", "data-copy": true }, "Copy"));
  }

  // --- one rule

  function versionTable(pairs, messages) {
    const rows = pairs.map(([message, text]) => [messages[message], counts.versions(text)]);
    const versions = [...new Set(rows.flatMap(([, found]) => found.map(([version]) => version)))].sort((a, b) => a - b);
    const head = versions.map((version) => element("th", { scope: "col" }, version < 0 ? "any" : `v${version}`));
    const body = rows.map(([message, found]) => {
      const got = new Map(found);
      return element("tr", { "data-message": message }, element("th", { scope: "row" }, message),
        versions.map((version) => {
          if (!got.has(version)) return element("td", {});
          const [kind, sign, text] = counts.cell(got.get(version));
          return element("td", { class: `cell ${kind}`, title: text }, sign, element("span", { class: "sr" }, text));
        }));
    });
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Counts by message and version" },
      element("table", { class: "versions" }, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Message"), head)),
        element("tbody", {}, body)));
  }

  function failureLine(rule, failure, at) {
    const words = failure.case === WITHHELD ? "withheld: it ends, stalls or exhausts the target" : failure.detail || failure.difference || failure.outcome;
    return element("tr", {}, element("td", { class: "nobreak" }, named(failure.verdict)),
      element("th", { scope: "row" }, element("a", { href: failureAddress(rule, at) }, `${subject(failure)} ${failure.op}`)),
      element("td", {}, words, failure.issue.length ? ` (known: ${failure.issue[0]})` : ""));
  }

  function failureTable(rule, kept) {
    const body = element("tbody", {}, kept.map((failure, at) => failureLine(rule, failure, at)));
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cases" },
      element("table", { class: "plain" }, element("thead", {}, element("tr", {},
        ["Verdict", "Case", "What went wrong"].map((head) => element("th", { scope: "col" }, head)))), body));
  }

  function keptWords(entry, found) {
    const failed = counts.broken(found) + (found.error || 0);
    const kept = entry.kept.filter((one) => counts.broken({ [one.verdict]: 1 }) || one.verdict === "error").length;
    if (kept < failed) {
      return `${counts.number(kept)} of ${counts.number(failed)} failures are kept here, of different messages first; the results file has them all.`;
    }
    return failed ? `All ${counts.number(failed)} failures.` : "";
  }

  function showRule(rule, entry, group) {
    const item = rules.get(rule);
    const found = counts.add({}, item.dataset.counts);
    const told = item.querySelector("template");
    const heading = element("h1", { tabindex: "-1" }, rule);
    $("rule").replaceChildren(heading,
      element("p", { class: "statement" }, badge(found, rule), " ", item.querySelector(".statement").textContent),
      ...(told ? [told.content.cloneNode(true)] : []),
      ...(entry.kept.length ? [element("h2", {}, "Cases"), element("p", {}, keptWords(entry, found)), failureTable(rule, entry.kept)] : []),
      element("h2", {}, "By message and version"), versionTable(entry.counts, group.messages));
    const named_ = rule.split(".")[0];
    crumbs([named_, `#/g/${encodeURIComponent(named_)}`], [rule]);
    shown("rule", `${rule} · ${title}`, heading);
  }

  // --- one failure

  function issue(failure) {
    if (!failure.issue.length) return null;
    const [words, href] = failure.issue;
    return href ? element("a", { href, rel: "noreferrer" }, words) : words;
  }

  function around(rule, kept, at) {
    const made = element("nav", { class: "around", "aria-label": "Cases of this rule" });
    if (at > 0) made.append(element("a", { href: failureAddress(rule, at - 1) }, "← the case before"));
    made.append(element("span", {}, `${at + 1} of ${kept.length}`));
    if (at + 1 < kept.length) made.append(element("a", { href: failureAddress(rule, at + 1) }, "the next case →"));
    return made;
  }

  function showFailure(rule, entry, group, at) {
    const failure = entry.kept[at];
    const item = rules.get(rule);
    const told = item.querySelector("template");
    const heading = element("h1", { tabindex: "-1" },
      named(failure.verdict), ` ${subject(failure)}, ${failure.op}`);
    const parts = group.parts[failure.parts];
    const withheld = failure.case === WITHHELD;
    $("failure").replaceChildren(heading,
      element("p", { class: "statement" }, item.querySelector(".statement").textContent),
      facts([["Rule", element("a", { href: ruleAddress(rule) }, rule)], ["Case", withheld ? null : element("code", {}, failure.case)],
        ["Outcome", failure.outcome], ["What went wrong", failure.detail], ["Differs", failure.difference],
        ["Diagnosis", failure.diagnosis], ["One cause", failure.cause], ["Control case", failure.control],
        ["Known", failure.reason], ["Public issue", issue(failure)]]),
      ...(told ? [told.content.cloneNode(true)] : []),
      ...(withheld ? [element("p", { class: "notice" }, "! What was sent ends, stalls or exhausts the target. It is withheld, so that it can't be turned on those who run it.")] : []),
      ...(parts.length ? [element("h2", {}, "Bytes and values"), ...parts.map(bytes.part)] : []),
      ...(failure.again ? [element("h2", {}, "See it again"), command(failure.again)] : []),
      around(rule, entry.kept, at));
    crumbs([rule.split(".")[0], `#/g/${encodeURIComponent(rule.split(".")[0])}`], [rule, ruleAddress(rule)], [`case ${at + 1}`]);
    shown("failure", `${failure.verdict}: ${rule} · ${title}`, heading);
  }

  // --- the rules of the target

  function showOverview(group) {
    crumbs(...(group ? [[group]] : []));
    if (!filter(group) && group && rules.size) {
      $("by-class").value = ""; // it has rules of other classes alone
      filter(group);
    }
    const at = group && document.querySelector(`section[data-group="${CSS.escape(group)}"]`);
    const heading = at ? at.querySelector("h3") : document.querySelector("#overview h1");
    shown("overview", group ? `${group} · ${title}` : title, heading);
    if (at) at.scrollIntoView();
  }

  function shown(id, words, heading) {
    only(id);
    document.title = words;
    if (arrivedBefore) heading.focus({ preventScroll: id === "overview" });
    if (id !== "overview" || heading.tagName === "H1") scrollTo(0, 0);
    arrivedBefore = true;
  }

  async function pickMessage(message) {
    if (!message) return null;
    const index = await load("index");
    const here = index.targets.findIndex((target) => location.pathname.endsWith(`/${target.page}`));
    const some = await load(`m/${index.messages.indexOf(message)}`);
    return new Map(some.filter(([at]) => at === here).map(([, rule, text]) => [index.rules[rule], text]));
  }

  function filter(group = null) {
    if (!rules.size) return 0;
    const words = $("by-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [class_, verdict] = [$("by-class").value, $("by-verdict").value];
    let visible = 0;
    for (const [rule, item] of rules) {
      const text = ofMessage ? ofMessage.get(rule) : item.dataset.counts;
      const found = text ? counts.add({}, text) : {};
      const said = `${rule} ${item.querySelector(".statement").textContent}`.toLowerCase();
      item.hidden = !text || (class_ && item.dataset.class !== class_) || !counts.has(found, verdict)
        || (group !== null && rule.split(".")[0] !== group) || !words.every((word) => said.includes(word));
      visible += item.hidden ? 0 : 1;
      const [kind, mark, count] = counts.only(found, verdict);
      const cell = item.querySelector(".cell");
      cell.className = `cell ${kind}`;
      cell.querySelector(".sign").textContent = mark;
      cell.querySelector(".count").textContent = count;
    }
    for (const section of document.querySelectorAll("section.group")) {
      section.hidden = ![...section.querySelectorAll("li")].some((item) => !item.hidden);
    }
    $("found").textContent = visible === 1 ? "1 rule" : `${visible} rules`;
    return visible;
  }

  let turn = 0;
  async function refilter() {
    const mine = ++turn;
    const message = await pickMessage($("by-message").value);
    if (mine !== turn) return;
    ofMessage = message;
    filter(place()[0] === "g" ? place()[1] : null);
  }

  // --- where we are

  function place() {
    const [, kind = "", name_ = "", at = ""] = location.hash.split("/");
    return [kind, decodeURIComponent(name_), Number(at)];
  }

  async function go() {
    const [kind, wanted, at] = place();
    const item = rules.get(wanted);
    if (kind !== "r" || !item) {
      if (kind === "" && location.hash && location.hash !== "#/") return; // a place on the page
      showOverview(kind === "g" ? wanted : null);
      return;
    }
    const group = await load(item.dataset.script);
    const entry = group.rules.find((one) => one.rule === wanted);
    if (at >= 1 && at <= entry.kept.length) showFailure(wanted, entry, group, at - 1);
    else showRule(wanted, entry, group);
  }

  function tell(error) {
    $("rule").replaceChildren(element("p", { class: "notice" }, `! ${error.message}: the site is not whole.`));
    only("rule");
  }

  const navigate = () => go().catch(tell);
  addEventListener("hashchange", navigate);
  const again = () => refilter().catch(tell);
  if (rules.size) {
    for (const event of ["input", "change"]) $("filters").addEventListener(event, again);
    $("filters").addEventListener("reset", () => setTimeout(again));
  }
  navigate();
})();
