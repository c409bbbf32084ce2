// What every page does: light or dark, copying, and data that comes as scripts. A page that was
// opened from a file may not fetch anything, but it may load a script that hands its data over.
"use strict";

const kafkaConformance = (() => {
  const root = document.documentElement;
  const asked = new Map();
  const arrived = new Map();

  function take(key, data) {
    arrived.set(key, data);
  }

  /** The data of a script under data/, once it is there. */
  function load(key) {
    if (!asked.has(key)) {
      asked.set(key, new Promise((resolve, reject) => {
        const script = document.createElement("script");
        script.src = `${root.dataset.root}data/${key}.js`;
        script.onload = () => resolve(arrived.get(key));
        script.onerror = () => {
          asked.delete(key);
          reject(new Error(`data/${key}.js is missing`));
        };
        document.head.append(script);
      }));
    }
    return asked.get(key);
  }

  /** An element with attributes and children; texts are texts, whatever they hold. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === true) made.setAttribute(key, "");
      else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
  }

  function remembered() {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // a browser that keeps nothing for files
    }
  }

  function remember(theme) {
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // then it is for this page only
    }
  }

  const wish = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : wish.matches);

  function label() {
    const button = document.getElementById("theme");
    if (button) button.textContent = isDark() ? "☀ Light" : "☾ Dark";
  }

  const before = remembered();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  wish.addEventListener("change", label);

  function copyByHand(code) {
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  }

  async function copy(button) {
    const code = button.parentElement.querySelector("code");
    let done = false;
    try {
      await navigator.clipboard.writeText(code.textContent);
      done = true;
    } catch {
      done = copyByHand(code);
    }
    button.textContent = done ? "Copied" : "Selected: copy it with Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2500);
  }

  document.addEventListener("DOMContentLoaded", () => {
    label();
    document.getElementById("theme").addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      label();
    });
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-copy]");
      if (button) copy(button);
    });
    const filters = document.getElementById("filters");
    if (filters) filters.addEventListener("submit", (event) => event.preventDefault());
  });

  return { take, load, element };
})();
