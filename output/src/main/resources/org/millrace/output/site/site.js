"use strict";
(() => {
  const root = document.documentElement;
  const top = document.body.dataset.top;
  const keep = {
    get: () => { try { return localStorage.getItem("millrace-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("millrace-theme", value); } catch { /* from a disk some browsers refuse */ } },
  };
  if (keep.get()) root.dataset.theme = keep.get();
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    keep.set(root.dataset.theme);
  });
  if (matchMedia("(max-width: 50rem)").matches) document.querySelector(".menu").open = false;
  const menu = document.querySelector(".menu");
  const current = menu.querySelector("a[aria-current]");
  // only the menu moves: to scroll into view would move the page, too, and its title below the bar
  if (current) menu.scrollTop += current.getBoundingClientRect().top - menu.getBoundingClientRect().top - menu.clientHeight / 2;

  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const letters = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  // All words must be there. A word in a heading counts most, then one in the page's title, then each in the text.
  function search(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    for (const [place, page, title, text] of window.MILLRACE_INDEX || []) {
      const lower = [title.toLowerCase(), page.toLowerCase(), text.toLowerCase()];
      let points = 0;
      const all = words.every((word) => {
        const times = lower[2].split(word).length - 1;
        const some = (lower[0].includes(word) ? 20 : 0) + (lower[1].includes(word) ? 6 : 0) + Math.min(times, 5);
        points += some;
        return some > 0;
      });
      if (all) hits.push({ place, page, title, text, points: place.includes("/decisions/") ? points / 2 : points });
    }
    return [hits.sort((a, b) => b.points - a.points).slice(0, 20), words];
  }

  function around(text, words) {
    const at = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((i) => i >= 0), text.length) - 60);
    const piece = escape((at > 0 ? "…" : "") + text.slice(at, at + 180));
    return piece.replace(new RegExp(words.map((word) => letters(escape(word))).join("|"), "gi"), "<mark>$&</mark>");
  }

  function show() {
    const query = input.value.trim();
    found.hidden = !query;
    if (!query) return;
    const [hits, words] = search(query);
    found.innerHTML = hits.length
      ? hits.map((hit) => `<a href="${top}${hit.place}"><strong>${escape(hit.title || hit.page)}</strong>${
          hit.title === hit.page ? "" : " · " + escape(hit.page)}<small>${around(hit.text, words)}</small></a>`).join("")
      : "<p>Nothing has all of these words.</p>";
  }
  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  document.addEventListener("click", (event) => {
    if (!found.contains(event.target) && event.target !== input || event.target.closest("#found a")) found.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
    if (event.key === "Escape") { found.hidden = true; input.blur(); }
    if (found.hidden || !["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    const all = [...found.querySelectorAll("a")];
    let at = all.findIndex((one) => one.classList.contains("chosen"));
    if (event.key === "Enter") { if (all.length && document.activeElement === input) location.href = all[Math.max(at, 0)].href; return; }
    event.preventDefault();
    all[at]?.classList.remove("chosen");
    at = (at + (event.key === "ArrowDown" ? 1 : all.length - 1) + all.length) % all.length;
    all[at]?.classList.add("chosen");
    all[at]?.scrollIntoView({ block: "nearest" });
  });
})();
