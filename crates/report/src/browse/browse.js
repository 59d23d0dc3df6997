// The table of queries, and the documents beside an answer. Texts reach the page as text nodes only.
"use strict";
const barecode = (() => {
  let about = { systems: [], settings: [], documents: [0], code: true };
  const rows = [];
  const lists = new Map();
  const documents = new Map();
  const up = () => document.body.dataset.up || "";
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  };
  const shownRank = (rank) => (rank === null || rank === undefined ? "" : rank === 0 ? "–" : String(Math.round(rank * 10) / 10));

  // ---- the table
  const PAGE = 100;
  const [ID, TEXT, ANSWER, WRITER, LEAK, GROUP, LANGUAGE, FALL, RANKS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const FIND = 10;
  const KEYS = ["words", "writer", "leak", "group", "language", "sort", "found", "setting"];
  const state = { words: "", system: 0, against: "", found: "", setting: "", writer: "", leak: "", group: "", language: "", sort: "", down: true, at: 0 };

  const link = (index) => {
    const page = String(Math.floor(index / about.queriesAPage)).padStart(5, "0");
    return `queries/${page}.html#${rows[index][ID]}`;
  };
  const rankBy = (index, system, setting) => rows[index][RANKS][Number(system) * about.settings.length + setting];
  const rankOf = (index, setting) => rankBy(index, state.system, setting);
  const reciprocal = (rank) => (rank ? 1 / rank : 0);
  const known = (rank) => rank !== null && rank !== undefined;
  // The lead of one system over the other in a setting: the difference of 1 / rank, null without both ranks.
  const lead = (index, setting) => {
    const [one, other] = [rankOf(index, setting), rankBy(index, state.against, setting)];
    return known(one) && known(other) ? reciprocal(one) - reciprocal(other) : null;
  };
  const falls = (index) => {
    if (state.against !== "") {
      const leads = about.settings.map((_, setting) => lead(index, setting)).filter((one) => one !== null);
      return leads.reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    }
    const written = rankOf(index, 0);
    if (!known(written)) return -1;
    let fall = 0;
    for (let setting = 1; setting < about.settings.length; setting += 1) {
      const rank = rankOf(index, setting);
      if (known(rank)) fall = Math.max(fall, reciprocal(written) - reciprocal(rank));
    }
    return fall;
  };

  // The system that finds the answer among the first documents, in the chosen setting or in any.
  const finds = (index) => {
    const within = (rank) => Boolean(rank) && rank <= FIND;
    const settings = state.setting === "" ? about.settings.keys() : [about.settings.indexOf(state.setting)];
    return [...settings].some((setting) => {
      const [one, other] = [rankOf(index, setting), rankBy(index, state.against, setting)];
      if (!known(one) || !known(other)) return false;
      const found = within(one) ? (within(other) ? "both" : "first") : within(other) ? "second" : "neither";
      return found === state.found;
    });
  };

  const chosen = () => {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) =>
      (!state.writer || row[WRITER] === state.writer) && (!state.leak || row[LEAK] === state.leak) &&
      (!state.group || row[GROUP] === state.group) && (!state.language || row[LANGUAGE] === state.language) &&
      (words.length === 0 || (() => {
        const text = `${row[TEXT]}\n${row[ANSWER]}\n${row[ID]}`.toLowerCase();
        return words.every((word) => text.includes(word));
      })());
    const found = [];
    const isFound = (index) => state.against === "" || state.found === "" || finds(index);
    for (let index = 0; index < rows.length; index += 1) if (fits(rows[index]) && isFound(index)) found.push(index);
    if (state.sort === "") return found;
    const ofSetting = (index) => {
      if (state.against !== "") return lead(index, Number(state.sort)) ?? -2;
      const rank = rankOf(index, Number(state.sort));
      return !known(rank) ? -1 : rank === 0 ? Infinity : rank;
    };
    const key = state.sort === "fall" ? falls : ofSetting;
    const keys = new Map(found.map((index) => [index, key(index)]));
    const sign = state.down ? -1 : 1;
    return found.sort((a, b) => (keys.get(a) === keys.get(b) ? a - b : sign * (keys.get(a) < keys.get(b) ? -1 : 1)));
  };

  const table = (found) => {
    const sortable = (name, key) => {
      const current = state.sort === key;
      const order = current ? (state.down ? "descending" : "ascending") : "none";
      const press = () => {
        state.down = current ? !state.down : true;
        state.sort = key;
        state.at = 0;
        draw();
        document.querySelector(`[data-sort="${key}"]`).focus();
      };
      return make("th", { scope: "col", class: "num", "aria-sort": order },
        make("button", { type: "button", "data-sort": key, text: name + (current ? (state.down ? " ↓" : " ↑") : ""), onclick: press }));
    };
    const several = new Set(rows.map((row) => row[LANGUAGE])).size > 1;
    const [hasGroup, hasLeak] = [GROUP, LEAK].map((column) => rows.some((row) => row[column]));
    const head = make("tr", {}, make("th", { scope: "col", text: "Query" }), make("th", { scope: "col", text: "Answer" }),
      hasGroup ? make("th", { scope: "col", text: "Group" }) : null, several ? make("th", { scope: "col", text: "Language" }) : null,
      hasLeak ? make("th", { scope: "col", text: "Leak" }) : null,
      ...about.settings.map((setting, at) => sortable(setting, String(at))), sortable(state.against === "" ? "fall" : "difference", "fall"));
    const body = make("tbody");
    for (const index of found.slice(state.at, state.at + PAGE)) {
      const row = rows[index];
      const cell = (at) => {
        const one = shownRank(rankOf(index, at));
        const other = state.against === "" ? "" : shownRank(rankBy(index, state.against, at));
        return state.against === "" || (one === "" && other === "") ? one : `${one} / ${other}`;
      };
      const ranks = about.settings.map((_, at) => make("td", { class: "num", text: cell(at) }));
      const fall = falls(index);
      body.append(make("tr", {},
        make("th", { scope: "row" }, make("a", { href: link(index), text: row[TEXT] })),
        make("td", {}, make("code", { text: row[ANSWER] })), hasGroup ? make("td", { text: row[GROUP] }) : null,
        several ? make("td", { text: row[LANGUAGE] }) : null, hasLeak ? make("td", { text: row[LEAK] }) : null,
        ...ranks, make("td", { class: "num", text: fall < 0 && state.against === "" ? "" : fall.toFixed(3) })));
    }
    return make("table", { class: "queries" }, make("thead", {}, head), body);
  };

  const draw = () => {
    const found = chosen();
    state.at = Math.max(0, Math.min(state.at, Math.floor(Math.max(0, found.length - 1) / PAGE) * PAGE));
    const scroll = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Queries" }, table(found));
    document.querySelector("#browse .scroll").replaceWith(scroll);
    const last = Math.min(found.length, state.at + PAGE);
    document.getElementById("shown").textContent =
      found.length === 0 ? "no query fits" : `${state.at + 1} to ${last} of ${found.length} queries`;
    document.getElementById("before").disabled = state.at === 0;
    document.getElementById("after").disabled = last >= found.length;
    const parts = new URLSearchParams();
    for (const key of KEYS) if (state[key]) parts.set(key, state[key]);
    if (state.system || state.against !== "") parts.set("system", about.systems[state.system]);
    if (state.against !== "") parts.set("against", about.systems[state.against]);
    if (state.sort && !state.down) parts.set("up", "1");
    if (state.at) parts.set("at", state.at);
    try { history.replaceState(null, "", `#${parts}`); } catch { /* The address stays as it is. */ }
  };

  const controls = () => {
    const values = (column) => [...new Set(rows.map((row) => row[column]))].filter(Boolean).sort();
    const select = (name, key, options) => {
      const box = make("select", { onchange: (event) => { state[key] = event.target.value; state.at = 0; draw(); } },
        ...options.map(([value, text]) => make("option", { value, text, selected: String(state[key]) === value })));
      return options.length > 2 || key === "system" || key === "against" ? make("label", {}, name, box) : null;
    };
    const filter = (name, key, column) => select(name, key, [["", "all"], ...values(column).map((value) => [value, value])]);
    const names = about.systems.map((name, at) => [String(at), name]);
    const system = select("Ranks of", "system", names);
    system.querySelector("select").addEventListener("change", () => { state.system = Number(state.system); draw(); });
    const against = about.systems.length < 2 ? null : select("Against", "against", [["", "no other system"], ...names]);
    const found = select("Answer in the first 10", "found", [["", "all"], ["first", "of the first system only"],
      ["second", "of the second only"], ["both", "of both"], ["neither", "of neither"]]);
    const setting = select("Setting", "setting", [["", "any"], ...about.settings.map((name) => [name, name])]);
    const pair = [found, setting].filter(Boolean);
    const hide = () => { for (const label of pair) label.hidden = state.against === ""; };
    if (against) against.querySelector("select").addEventListener("change", hide);
    hide();
    const search = make("input", { type: "search", value: state.words, oninput: (event) => { state.words = event.target.value; state.at = 0; draw(); } });
    const move = (by) => () => { state.at += by * PAGE; draw(); };
    return make("div", {},
      make("form", { class: "controls", role: "search", onsubmit: (event) => event.preventDefault() },
        make("label", {}, "Words of the query or the answer", search), system, against, ...pair,
        filter("Writer", "writer", WRITER), filter("Group", "group", GROUP), filter("Leak", "leak", LEAK),
        filter("Language", "language", LANGUAGE)),
      make("div", { class: "controls" },
        make("button", { type: "button", id: "before", text: "Previous", onclick: move(-1) }),
        make("button", { type: "button", id: "after", text: "Next", onclick: move(1) }),
        make("span", { id: "shown", role: "status" })));
  };

  const startTable = (place) => {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const key of KEYS) state[key] = parts.get(key) || "";
    state.down = parts.get("up") !== "1";
    state.at = Number(parts.get("at")) || 0;
    state.system = Math.max(0, about.systems.indexOf(parts.get("system")));
    const against = about.systems.indexOf(parts.get("against"));
    state.against = against >= 0 ? String(against) : about.compared && !parts.has("system") ? "1" : "";
    place.prepend(controls());
    draw();
  };

  // ---- the documents beside an answer
  const load = (file) => new Promise((resolve, reject) => {
    const script = make("script", { src: file });
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${file} cannot be read`));
    document.head.append(script);
  });
  const fileOf = (index) => {
    let file = 0;
    while (file + 1 < about.documents.length && about.documents[file + 1] <= index) file += 1;
    return file;
  };
  const loading = new Map();
  const documentAt = async (index) => {
    const file = fileOf(index);
    if (!loading.has(file)) loading.set(file, load(`${up()}documents/${String(file).padStart(3, "0")}.js`));
    await loading.get(file);
    return documents.get(file)[index - about.documents[file]];
  };
  const partsOf = (word) => word.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((part) => part.length > 2);
  const WORD = /[\p{L}\p{N}_]+/gu;
  // The positions of words that are not those of another text: a renaming changes words one by one.
  const changedWords = (text, other) => {
    if (!text || !other) return null;
    const [words, others] = [text, other].map((one) => one.match(WORD) || []);
    return words.length === others.length ? words.map((word, at) => word !== others[at]) : null;
  };
  // The text with those words marked that have a part in common with the query, and those that a setting changes.
  const marked = (text, words, changed) => {
    const code = make("code");
    let [from, at] = [0, 0];
    for (const match of text.matchAll(WORD)) {
      const isChanged = changed && changed[at];
      at += 1;
      const isMatch = partsOf(match[0]).some((part) => words.has(part));
      if (!isMatch && !isChanged) continue;
      code.append(text.slice(from, match.index), make(isMatch ? "mark" : "span", { class: isChanged ? "changed" : false, text: match[0] }));
      from = match.index + match[0].length;
    }
    code.append(text.slice(from));
    return code;
  };
  // The terms that add most to a score: flat pairs of a term and its part.
  const termsOf = (flat) => {
    if (!flat || flat.length === 0) return null;
    const parts = [];
    for (let at = 0; at < flat.length; at += 2) parts.push(`${flat[at]} ${Number(flat[at + 1]).toFixed(2)}`);
    return make("small", { class: "terms", text: `score from: ${parts.join(", ")}` });
  };
  const figure = (caption, detail, text, words, kind, changed, terms) => make("figure", { class: kind },
    make("figcaption", {}, caption, make("br"), make("small", { text: detail }), termsOf(terms)),
    text === null || text === undefined ? make("p", { class: "note", text: about.code ? "not in this setting" : "texts are not part of these pages" })
      : make("pre", { tabindex: "0" }, marked(text, words, changed)));

  const show = async (article, button, at) => {
    const [answer, ofQuery] = lists.get(article.dataset.at);
    const [rank, others, answerTerms, firstTerms] = ofQuery[at];
    const setting = at % about.settings.length;
    const system = about.systems[Math.floor(at / about.settings.length)];
    const words = new Set(partsOf(article.querySelector("blockquote").textContent));
    const [answered, ...shown] = await Promise.all([answer, ...others.map(([index]) => index)].map(documentAt));
    const panel = make("section", { "aria-label": `${system}, ${about.settings[setting]}` });
    const above = others.filter(([, other]) => rank === null || other < rank).length;
    const learned = [answerTerms, firstTerms].some((terms) => terms && terms.some((term) => String(term).startsWith("~")));
    const say = rank === null ? "The answer was not retrieved." : above === 0 ? "No document is above the answer." : `${Math.ceil(rank) - 1} above the answer${above < Math.ceil(rank) - 1 ? `, the first ${above} shown` : ""}.`;
    panel.append(make("h3", { tabindex: "-1", text: `${system}, ${about.settings[setting]}` }),
      make("p", { class: "note", text: `${say} Words that share a part with the query are marked.${learned ? " ~ marks the part of a word in the learned score." : ""}` }));
    const name = (one) => (one ? one[0] : "");
    const grid = make("div", { class: "documents" });
    grid.append(figure(`The answer: ${name(answered)}`, `rank ${shownRank(rank === null ? 0 : rank)}${answered ? `; ${answered[1]}` : ""}`, answered && answered[3][setting], words, "answer", null, answerTerms));
    others.forEach(([, otherRank, score, relevant], number) => {
      const one = shown[number];
      grid.append(figure(name(one), `rank ${otherRank}, score ${score}${relevant ? ", an answer too" : ""}${one ? `; ${one[1]}` : ""}`, one && one[3][setting], words, "other", null, number === 0 ? firstTerms : null));
    });
    panel.append(grid);
    if (setting > 0 && answered && answered[3][0] && answered[3][setting]) {
      const [written, now] = [answered[3][0], answered[3][setting]];
      const changed = changedWords(now, written);
      const pair = make("div", { class: "documents" },
        figure("As written", answered[1], written, words, "answer", changed),
        figure(`Under ${about.settings[setting]}`, changed ? "changed words are underlined" : "", now, words, "answer", changed));
      panel.append(make("h3", { text: "The answer before and after" }), pair);
    }
    article.querySelector(".beside").replaceChildren(panel);
    for (const other of article.querySelectorAll("button[aria-expanded]")) other.setAttribute("aria-expanded", String(other === button));
    panel.querySelector("h3").focus({ preventScroll: true });
    panel.scrollIntoView({ block: "nearest" });
  };

  // ---- the ranks of an answer from setting to setting, as a picture of the table above it
  const LINES = 6;
  const shape = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const trajectory = (ofQuery, open) => {
    const width = about.settings.length;
    const all = about.systems.map((name, system) => ({ name, system, ranks: ofQuery.slice(system * width, (system + 1) * width) }))
      .filter((line) => line.ranks.filter(Boolean).length > 1);
    const lines = all.slice(0, LINES);
    if (width < 2 || lines.length === 0) return null;
    const ranks = lines.flatMap((line) => line.ranks.filter(Boolean).map(([rank]) => rank)).filter(Boolean);
    const decades = Math.max(1, Math.ceil(Math.log10(Math.max(1, ...ranks))));
    const [left, right, top, step] = [80, 12, 12, 44];
    const [none, bottom] = [top + decades * step + step / 2, top + decades * step + step / 2 + 22];
    const wide = Math.max(360, left + right + 120 * (width - 1) + 60);
    const across = (setting) => left + 30 + (setting * (wide - left - right - 60)) / (width - 1);
    const down = (rank) => (rank ? top + step * Math.log10(rank) : none);
    const svg = shape("svg", { class: "chart", viewBox: `0 0 ${wide} ${bottom + 6}`, width: wide, "aria-hidden": "true" });
    const ticks = Array.from({ length: decades + 1 }, (_, at) => [String(10 ** at), top + step * at]);
    for (const [name, y] of [...ticks, ["not found", none]]) {
      svg.append(shape("line", { class: "grid", x1: left, x2: wide - right, y1: y, y2: y }),
        shape("text", { class: "tick", x: left - 8, y: y + 4, "text-anchor": "end" }, name));
    }
    about.settings.forEach((name, at) => svg.append(shape("text", { class: "tick", x: across(at), y: bottom, "text-anchor": "middle" }, name)));
    lines.forEach((line, at) => {
      const points = line.ranks.map((list, setting) => list && [across(setting), down(list[0])]).filter(Boolean);
      const group = shape("g", { class: `series series-${at}` });
      group.append(shape("polyline", { fill: "none", points: points.map((point) => point.join(",")).join(" ") }),
        ...points.map(([x, y]) => shape("circle", { cx: x, cy: y, r: 4 })));
      svg.append(group);
    });
    const names = make("p", { class: "note legend" }, ...lines.map((line, at) => make("span", {},
      shape("svg", { class: `dash series series-${at}`, viewBox: "0 0 26 10", "aria-hidden": "true" }, shape("polyline", { fill: "none", points: "0,5 26,5" })), ` ${line.name}`)),
      lines.length < all.length ? `the first ${LINES} of ${all.length} systems` : "");
    return make("details", { class: "trajectory", open }, make("summary", { text: "Ranks as a picture" }), make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Ranks as a picture" }, svg), names);
  };

  const startArticles = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (const article of document.querySelectorAll("article[data-at]")) {
      const ofQuery = lists.get(article.dataset.at);
      const picture = ofQuery && trajectory(ofQuery[1], article === target);
      if (picture) article.querySelector(".beside").before(picture);
      for (const span of article.querySelectorAll("[data-list]")) {
        const at = Number(span.dataset.list);
        const setting = about.settings[at % about.settings.length];
        const system = about.systems[Math.floor(at / about.settings.length)];
        const button = make("button", { type: "button", "aria-expanded": "false", "aria-label": `Rank ${span.textContent}: ${system}, ${setting}`, text: span.textContent });
        button.addEventListener("click", () => show(article, button, at).catch((error) => {
          article.querySelector(".beside").replaceChildren(make("p", { role: "alert", text: error.message }));
        }));
        span.replaceWith(button);
      }
    }
    if (target) target.scrollIntoView();
  };

  // Keys: j and k go through links of rows and through ranks; / goes to the search.
  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    if (event.key === "/" && document.querySelector("[type=search]")) {
      event.preventDefault();
      document.querySelector("[type=search]").focus();
      return;
    }
    if (event.key !== "j" && event.key !== "k") return;
    const target = document.querySelector("article:target") || document;
    const stops = [...target.querySelectorAll(".queries tbody a, .ranks button")];
    const at = stops.indexOf(document.activeElement);
    const next = stops[at < 0 ? 0 : at + (event.key === "j" ? 1 : -1)];
    if (next) next.focus();
  };

  document.addEventListener("DOMContentLoaded", () => {
    document.addEventListener("keydown", keys);
    const place = document.getElementById("browse");
    if (place) startTable(place);
    else startArticles();
  });

  return {
    about: (given) => { about = given; },
    rows: (_, given) => { for (const row of given) rows.push(row); },
    lists: (_, given) => given.forEach((one, at) => lists.set(String(at), one)),
    documents: (number, given) => documents.set(number, given),
  };
})();
