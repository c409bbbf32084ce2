// Bytes in two columns. One byte is in the tab order; the arrow keys go on from there, and a line
// below says what each byte is.
"use strict";

kafkaConformance.bytes = (() => {
  const { element } = kafkaConformance;
  const ROW = ["loff", "lhex", "lmore", "roff", "rhex", "rmore", "path", "type", "lvalue", "rvalue", "says", "wrong"];

  const named = (row) => Object.fromEntries(ROW.map((name, at) => [name, row[at]]));
  const hex = (number) => `0x${number.toString(16)}`;

  function told(byte, row, side) {
    const at = Number(byte.dataset.at);
    const value = side === "left" ? row.lvalue : row.rvalue || row.lvalue;
    const parts = [`${byte.dataset.side} byte ${byte.textContent} at offset ${at} (${hex(at)})`];
    parts.push(row.path || "no field");
    if (row.type) parts.push(row.type);
    if (value) parts.push(`value ${value}`);
    if (row.says) parts.push(row.says);
    if (byte.classList.contains("first")) parts.push("the first wrong byte");
    return parts.join(" · ");
  }

  function cell(part, row, side) {
    const [offset, text, more] = side === "left" ? [row.loff, row.lhex, row.lmore] : [row.roff, row.rhex, row.rmore];
    const made = element("td", { class: `hex ${side}`, "data-label": part[side] });
    for (let at = 0; at < text.length; at += 2) {
      const place = offset + at / 2;
      const byte = element("span", { class: "byte", tabindex: "-1", "data-at": place, "data-side": part[side] }, text.slice(at, at + 2));
      if (place === part.first) byte.classList.add("first");
      made.append(byte, " ");
    }
    if (more) made.append(element("small", {}, `and ${more} more bytes`));
    if (!text && offset >= 0) made.append(element("small", {}, "no bytes"));
    return made;
  }

  const holdsFirst = (part, row) => [[row.loff, row.lhex], [row.roff, row.rhex]]
    .some(([offset, text]) => offset >= 0 && part.first !== null && offset <= part.first && part.first < offset + text.length / 2);

  function line(part, row) {
    const two = part.right !== "";
    const first = holdsFirst(part, row);
    const offsets = [row.loff, row.roff].filter((offset) => offset >= 0);
    const values = [...new Set([row.lvalue, row.rvalue].filter(Boolean))].join(" → ");
    const made = element("tr", { class: first ? "differs" : row.wrong ? "wrong" : null },
      element("td", { class: "mark" }, first ? element("span", { title: "the first wrong byte is here" }, "▸") : ""),
      element("td", { class: "offset" }, [...new Set(offsets)].join(" / ")),
      cell(part, row, "left"), two ? cell(part, row, "right") : null,
      element("td", { class: "field" }, element("b", {}, row.path), " ", element("small", {}, row.type),
        values ? element("span", { class: "value" }, ` = ${values}`) : null,
        row.says ? element("em", {}, row.says) : null));
    made.dataset.row = "";
    return made;
  }

  function table(part) {
    const rows = part.rows.map(named);
    const heads = ["", "offset", part.left, ...(part.right ? [part.right] : []), "field"];
    const body = element("tbody", {}, rows.map((row) => line(part, row)));
    const made = element("table", { class: `bytes ${part.right ? "pair" : "alone"}` },
      element("thead", {}, element("tr", {}, heads.map((head, at) => (at
        ? element("th", { scope: "col" }, head)
        : element("td", {}))))), body);
    const status = element("p", { class: "told", role: "status" }, opening(part));
    watch(body, rows, status);
    const box = element("div", { class: "dump" }, made, status);
    if (part.leftOut) box.append(element("p", {}, `${part.leftOut} more fields are left out here.`));
    return box;
  }

  function opening(part) {
    const keys = "Point at a byte, or go with Tab and the arrow keys.";
    if (part.first === null) return keys;
    return `First wrong byte: offset ${part.first} (${hex(part.first)}). ${keys}`;
  }

  function watch(body, rows, status) {
    const tell = (byte) => {
      const line_ = byte.closest("tr");
      const row = rows[[...body.rows].indexOf(line_)];
      status.textContent = told(byte, row, byte.closest("td").classList.contains("right") ? "right" : "left");
      for (const lit of body.querySelectorAll(".lit")) lit.classList.remove("lit");
      for (const twin of line_.querySelectorAll(`.byte`)) twin.classList.add("lit");
    };
    const every = () => [...body.querySelectorAll(".byte")];
    const start = body.querySelector(".byte.first") || body.querySelector(".byte");
    if (start) start.tabIndex = 0;
    body.addEventListener("pointerover", (event) => {
      const byte = event.target.closest(".byte");
      if (byte) tell(byte);
    });
    body.addEventListener("focusin", (event) => {
      const byte = event.target.closest(".byte");
      if (byte) tell(byte);
    });
    body.addEventListener("keydown", (event) => {
      const byte = event.target.closest(".byte");
      const next = byte && neighbour(byte, event.key, every);
      if (!next) return;
      event.preventDefault();
      byte.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }

  function neighbour(byte, key, every) {
    const side = byte.closest("td").classList.contains("right") ? ".right" : ".left";
    const column = every().filter((one) => one.closest(side));
    const at = column.indexOf(byte);
    const inRow = [...byte.parentElement.querySelectorAll(".byte")].indexOf(byte);
    switch (key) {
      case "ArrowRight": return column[at + 1];
      case "ArrowLeft": return column[at - 1];
      case "Home": return column[0];
      case "End": return column[column.length - 1];
      case "ArrowDown": return beyond(byte.closest("tr"), "nextElementSibling", side, inRow);
      case "ArrowUp": return beyond(byte.closest("tr"), "previousElementSibling", side, inRow);
      default: return null;
    }
  }

  function beyond(row, direction, side, inRow) {
    for (let next = row[direction]; next; next = next[direction]) {
      const bytes = next.querySelectorAll(`${side} .byte`);
      if (bytes.length) return bytes[Math.min(inRow, bytes.length - 1)];
    }
    return null;
  }

  /** Words or values in one column or two, with the first line that differs marked. */
  function text(part) {
    if (!part.right) {
      return element("div", { class: "texts" }, side(part.left, part.one.split("\n"), -1));
    }
    const [one, other] = [part.one.split("\n"), part.other.split("\n")];
    const differs = one.findIndex((words, at) => words !== other[at]);
    const both = part.one.startsWith("{") && part.other.startsWith("{") ? differs : -1;
    return element("div", { class: "texts two" }, side(part.left, one, both), side(part.right, other, both));
  }

  function side(title, lines, marked) {
    const made = element("pre", { tabindex: "0", role: "region", "aria-label": title });
    lines.forEach((words, at) => {
      if (at === marked) made.append(element("mark", {}, `▸ ${words}`), "\n");
      else made.append(`${words}\n`);
    });
    return element("div", {}, element("h3", {}, title), made);
  }

  const part = (one) => (one.kind === "bytes" ? table(one) : text(one));
  return { part };
})();
