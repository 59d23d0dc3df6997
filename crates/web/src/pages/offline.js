// One item at a time; every answer goes into this browser's storage first, and from there into a file.
(() => {
  const root = document.documentElement.dataset;
  const main = document.getElementById("main");
  const items = [...document.querySelectorAll("template[data-position]")];
  const place = `barecode-study-${root.study}-${root.rater}`;
  let answers = [];
  let trouble = "";
  try { answers = JSON.parse(localStorage.getItem(place) ?? "[]"); } catch { trouble = "This browser stores nothing for this page: save your answers to a file before you close it."; }
  const last = (position) => answers.findLast((answer) => answer.position === position);
  const done = (template) => template.dataset.answered === "true" || last(Number(template.dataset.position)) !== undefined;
  const add = (tag, text, parent, set = {}) => {
    const element = Object.assign(document.createElement(tag), set);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const say = (text, role, className) => {
    const element = add("p", text, main, { className: `notice ${className}` });
    element.setAttribute("role", role);
    main.prepend(element);
  };
  const nextOpen = (after) => {
    const open = items.filter((template) => !done(template)).map((template) => Number(template.dataset.position));
    return open.find((position) => position > after) ?? open[0];
  };
  const list = () => {
    main.replaceChildren();
    add("h1", "Study", main);
    main.append(document.getElementById("introduction").content.cloneNode(true));
    const count = items.filter(done).length;
    add("p", `${count} of ${items.length} answered. Answers stay in this browser until you save them to a file and send that.`, main);
    const next = nextOpen(0);
    if (next) add("a", `Go on with item ${next}`, add("p", "", main), { href: `#${next}`, className: "main" });
    const all = add("ol", "", main, { className: "items" });
    for (const template of items) {
      const { position } = template.dataset;
      add("a", done(template) ? `${position} ✓` : position, add("li", "", all), { href: `#${position}`, className: done(template) ? "done" : "" });
    }
  };
  const show = (message) => {
    const position = Number(location.hash.slice(1));
    const template = items.find((one) => Number(one.dataset.position) === position);
    if (!template) { list(); } else {
      main.replaceChildren(template.content.cloneNode(true));
      const form = main.querySelector("form");
      const count = items.filter(done).length;
      main.querySelector("progress").value = count;
      main.querySelector("p.soft").textContent = `${count} of ${items.length} answered`;
      for (const link of main.querySelectorAll(".steps a")) {
        const step = link.getAttribute("href");
        link.href = step.startsWith("/next") ? `#${nextOpen(position) ?? ""}` : `#${step.split("/").pop()}`;
      }
      const answer = last(position);
      if (answer) for (const field of form.elements) {
        const value = answer.fields[field.name];
        if (["radio", "checkbox"].includes(field.type)) field.checked = value === field.value;
        else if (field.name && field.name !== "seen") field.value = value ?? field.value;
      }
      form.addEventListener("submit", (event) => { event.preventDefault(); save(position, form); });
    }
    if (message) say(message, "status", "saved");
    if (trouble) say(trouble, "alert", "alert");
    main.focus();
    scrollTo(0, 0);
  };
  const problem = (fields) => {
    if (root.kind === "compare" && fields.unjudged) {
      if (fields.left || fields.right) return "The form has both a verdict and “I cannot judge this”: remove one of them.";
      delete fields.better;
    } else if (root.kind === "compare") {
      if (!fields.left || !fields.right) return "Choose for both texts whether they are correct.";
      if (fields.left !== "correct" || fields.right !== "correct") delete fields.better;
      else if (!fields.better) return "Both are correct: choose the better one, or that they are equal.";
    }
    if (root.kind === "write" && !fields.text?.trim() === !fields.skip) return "Write a text, or choose that the function cannot be described.";
    if (root.kind === "review" && !fields.decision) return "Choose whether to keep, drop or edit the record.";
    return "";
  };
  const save = (position, form) => {
    const fields = Object.fromEntries(new FormData(form));
    delete fields.seen;
    const wrong = problem(fields);
    main.querySelectorAll(".notice").forEach((old) => old.remove());
    if (wrong) return say(wrong, "alert", "alert");
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const key = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const before = last(position);
    if (before === undefined || JSON.stringify(before.fields) !== JSON.stringify(fields)) answers.push({ position, key, at: new Date().toISOString(), fields });
    try { localStorage.setItem(place, JSON.stringify(answers)); trouble = ""; } catch { trouble = "This browser cannot store the answer: save your answers to a file before you close this page."; }
    const next = nextOpen(position);
    const message = next ? `Item ${position} is saved.` : `Item ${position} is saved. All is done: save your answers to a file and send it.`;
    if (location.hash === `#${next ?? ""}`) return show(message);
    told = message;
    location.hash = `#${next ?? ""}`;
  };
  let told = "";
  addEventListener("hashchange", () => { show(told); told = ""; });
  document.getElementById("save").addEventListener("submit", (event) => {
    event.preventDefault();
    const file = { format: "barecode-answers", version: 1, study: root.study, rater: root.rater, answers };
    const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: "application/json" }));
    Object.assign(document.createElement("a"), { href: url, download: `answers-${root.rater}.json` }).click();
    URL.revokeObjectURL(url);
  });
  show();
})();
