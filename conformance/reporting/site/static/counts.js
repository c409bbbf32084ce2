// Counts by verdict, as the pages were written with them: `p3f1` is three passes and a failure.
"use strict";

kafkaConformance.counts = (() => {
  const NAMES = { p: "pass", n: "note", f: "fail", c: "crash", h: "hang", u: "unsupported", q: "not-proven", e: "error" };
  const BROKEN = ["fail", "crash", "hang"];

  function add(to, text) {
    for (const [, letter, count] of text.matchAll(/([a-z])(\d+)/g)) {
      const name = NAMES[letter];
      to[name] = (to[name] || 0) + Number(count);
    }
    return to;
  }

  /** `0-3:p3;4:p2f1` as a list of version and counts. */
  function versions(text) {
    const found = [];
    for (const span of text.split(";")) {
      const [, low, , high, counts] = /^(-?\d+)(-(\d+))?:(.*)$/.exec(span);
      for (let version = Number(low); version <= Number(high ?? low); version += 1) {
        found.push([version, add({}, counts)]);
      }
    }
    return found;
  }

  const number = (count) => count.toLocaleString("en-US");
  const of = (counts, names) => names.reduce((sum, name) => sum + (counts[name] || 0), 0);
  const broken = (counts) => of(counts, BROKEN);
  const total = (counts) => of(counts, Object.values(NAMES));

  /** The colour of failures: the more fails, the deeper. */
  const shade = (rate) => `fail r${1 + [0.01, 0.1, 0.5].filter((limit) => rate >= limit).length}`;

  /** So many targets break a rule, of so many that were judged by it. */
  function breaking(some, judged) {
    if (!judged) return ["none", "⊘", "unsupported"];
    return some ? [shade(some / judged), "✗", `${some} of ${judged}`] : ["pass", "✓", `${judged}`];
  }

  /** Kind, sign and text of a cell; the same words as where the pages are written. */
  function cell(counts) {
    const judged = total(counts) - (counts.unsupported || 0);
    const failed = broken(counts);
    if (!total(counts)) return ["none", "·", "not asked"];
    if (!judged) return ["none", "⊘", "unsupported"];
    if (failed) {
      const harm = counts.crash || counts.hang;
      return [harm ? "harm" : shade(failed / judged), harm ? "‼" : "✗", `${number(failed)} of ${number(judged)}`];
    }
    if (counts.error) return ["error", "!", `${number(counts.error)} errors`];
    if (counts["not-proven"] === judged) return ["unproven", "?", "not proven"];
    const unproven = counts["not-proven"] ? `, ? ${number(counts["not-proven"])}` : "";
    if (!counts.pass) return ["note", "~", `${number(counts.note)} noted${unproven}`];
    return ["pass", "✓", `${number(counts.pass + (counts.note || 0))}${unproven}`];
  }

  /** Whether there is a verdict of this name among them; "broken" is any of three. */
  function has(counts, verdict) {
    if (!verdict) return true;
    return (verdict === "broken" ? broken(counts) : counts[verdict] || 0) > 0;
  }

  /** Those of one verdict alone, as a cell. */
  function only(counts, verdict) {
    if (!verdict) return cell(counts);
    const count = verdict === "broken" ? broken(counts) : counts[verdict] || 0;
    if (!count) return ["none", "·", "none"];
    const [kind, sign] = cell(verdict === "broken" ? counts : { [verdict]: count });
    return [kind, sign, number(count)];
  }

  return { NAMES, breaking, add, versions, number, broken, total, cell, has, only };
})();
