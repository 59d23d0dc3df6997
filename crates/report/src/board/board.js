// Sorting and filtering of the tables; they are complete without it.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const value = (row, at) => {
    const given = row.cells[at].dataset.value;
    return given === undefined ? row.cells[at].textContent : given === "" ? NaN : Number(given);
  };
  for (const table of document.querySelectorAll("table.board")) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      if (!head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const order = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
        for (const other of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", order);
        const sign = order === "descending" ? -1 : 1;
        const rows = [...body.rows].sort((one, other) => {
          const [a, b] = [value(one, at), value(other, at)];
          if (typeof a === "string") return sign * a.localeCompare(b);
          if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
          return sign * (a - b);
        });
        body.append(...rows);
      });
    });
  }
  const place = document.getElementById("filter");
  if (!place) return;
  const label = document.createElement("label");
  const input = document.createElement("input");
  const status = document.createElement("span");
  input.type = "search";
  status.setAttribute("role", "status");
  label.append("Systems with these words", input);
  place.append(label, status);
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll("table.board tbody tr")) {
      row.hidden = !words.every((word) => row.cells[0].textContent.toLowerCase().includes(word));
    }
    const shown = document.querySelector("table.board").querySelectorAll("tbody tr:not([hidden])").length;
    status.textContent = words.length ? `${shown} shown` : "";
    try { history.replaceState(null, "", input.value ? `#systems=${encodeURIComponent(input.value)}` : "#"); } catch { /* The address stays as it is. */ }
  };
  const given = new URLSearchParams(location.hash.slice(1)).get("systems");
  if (given) { input.value = given; filter(); }
  input.addEventListener("input", filter);
});
