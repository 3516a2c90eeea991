// The ranking of one's own crawl: filter, sort, leaf through and explain pairs; and what another threshold would flag. Values come from #data by column.
// Whatever a crawl wrote is set as text, never as markup.
(() => {
  const source = document.getElementById("data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const { pairs, texts, explained, columns } = data;
  const n = pairs.rank.length;
  const id = name => document.getElementById(name);
  const make = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const hostName = text => {
    const bdi = make("bdi");
    for (const [k, piece] of (text.match(/[^.]{1,24}\.?|\./gu) || []).entries()) {
      if (k) bdi.append(make("wbr"));
      bdi.append(piece);
    }
    return bdi;
  };
  const whole = number => number.toLocaleString("en");
  const share = number => number === null ? "–" : number.toFixed(4);

  const threshold = id("threshold");
  if (threshold) {
    const steps = data.thresholds, output = threshold.parentElement.querySelector("output");
    const tell = () => {
      const at = steps[threshold.value];
      const wrong = at.wrong === null ? "" : `, of which ${at.wrong.toFixed(1)} are expected to be wrong`;
      output.textContent = `from ${at.x} on: ${whole(at.pairs)} pairs of ${whole(at.hosts)} hosts${wrong} (now ${whole(data.flagged)} pairs)`;
    };
    const least = data.least === null ? .5 : data.least;
    const far = step => Math.abs(step.x - least);
    threshold.value = steps.reduce((near, step, i) => far(step) < far(steps[near]) ? i : near, 0);
    threshold.addEventListener("input", tell);
    threshold.parentElement.hidden = false;
    tell();
  }

  const table = id("pairs");
  if (!table) return;
  const body = table.tBodies[0], why = id("why"), leafSize = data.leaf;
  const place = new Map(explained.rank.map((rank, i) => [rank, i]));
  const nameOf = { host_a: i => texts[pairs.a[i]], host_b: i => texts[pairs.b[i]] };
  const searched = pairs.a.map((a, i) => (texts[a] + " " + texts[pairs.b[i]]).toLowerCase());
  const shown = {
    flagged: v => v ? "yes" : "",
    probability: v => v >= .99995 ? "> 0.9999" : share(v),
    kind: v => v === null ? "" : texts[v],
    shared: v => v === null ? "–" : whole(v),
    strength: v => v === null ? "–" : v.toFixed(2),
  };
  let order = [...pairs.rank.keys()], leaf = 0, current = 0, sorted = ["rank", true];

  const chosen = () => {
    const text = id("filter").value.trim().toLowerCase(), decision = id("decision").value, kind = id("kind").value;
    const found = [];
    for (let i = 0; i < n; i++) {
      if (text && !searched[i].includes(text)) continue;
      if (decision === "explained" ? !place.has(pairs.rank[i]) : decision && pairs.flagged[i] !== Number(decision)) continue;
      if (kind && (pairs.kind[i] === null || texts[pairs.kind[i]] !== kind)) continue;
      found.push(i);
    }
    const [key, up] = sorted;
    const words = key in nameOf || key === "kind";
    const value = nameOf[key] || (key === "kind" ? i => pairs.kind[i] === null ? "" : texts[pairs.kind[i]] : i => pairs[key][i]);
    const keys = found.map(value);
    const by = [...keys.keys()].sort((x, y) => {
      const a = keys[x], b = keys[y];
      if (a === b) return x - y;
      if (a === null || b === null) return (a === null) - (b === null); // unknown comes last either way
      return (words ? (a < b ? -1 : 1) : a - b) * (up ? 1 : -1);
    });
    order = by.map(x => found[x]);
    leaf = current = 0;
    draw();
  };

  const row = (i, at) => {
    const line = make("tr");
    line.dataset.at = at;
    line.tabIndex = at === current ? 0 : -1;
    line.setAttribute("aria-rowindex", at + 2);
    line.append(make("td", whole(pairs.rank[i]), "n"));
    for (const key of ["host_a", "host_b"]) {
      const cell = make(key === "host_a" ? "th" : "td", null, "host");
      if (key === "host_a") cell.scope = "row";
      cell.append(hostName(nameOf[key](i)));
      line.append(cell);
    }
    for (const key of columns) {
      line.append(make("td", (shown[key] || share)(pairs[key][i]), table.tHead.querySelector(`[data-key=${key}]`).className));
    }
    return line;
  };
  const draw = () => {
    const leaves = Math.max(1, Math.ceil(order.length / leafSize));
    const first = leaf * leafSize;
    body.replaceChildren(...order.slice(first, first + leafSize).map((i, at) => row(i, first + at)));
    table.setAttribute("aria-rowcount", order.length + 1);
    id("found").textContent = order.length === n ? `${whole(n)} pairs` : `${whole(order.length)} of ${whole(n)} pairs`;
    id("leaf").textContent = order.length ? `${whole(first + 1)} to ${whole(Math.min(first + leafSize, order.length))} of ${whole(order.length)}` : "none";
    for (const button of id("pager").querySelectorAll("button")) {
      button.disabled = ["first", "back"].includes(button.dataset.go) ? leaf === 0 : leaf >= leaves - 1;
    }
    mark();
  };
  const mark = () => {
    for (const line of body.rows) {
      const here = Number(line.dataset.at) === current;
      line.tabIndex = here ? 0 : -1;
      if (here && !why.hidden) line.setAttribute("aria-selected", "true"); else line.removeAttribute("aria-selected");
    }
  };
  const go = (at, focus = true) => {
    if (!order.length) return;
    current = Math.min(Math.max(at, 0), order.length - 1);
    const there = Math.floor(current / leafSize);
    if (there !== leaf) { leaf = there; draw(); } else mark();
    if (!why.hidden) explain(order[current]);
    if (focus) body.rows[current - leaf * leafSize].focus();
  };
  const turn = where => {
    const last = Math.max(0, Math.ceil(order.length / leafSize) - 1);
    leaf = { first: 0, back: Math.max(0, leaf - 1), on: Math.min(last, leaf + 1), last }[where];
    current = leaf * leafSize;
    draw();
  };

  const listed = (title, items, into) => {
    if (!items.length) return;
    into.append(make("h3", title));
    const list = make("ul");
    for (const item of items) {
      const entry = make("li");
      for (const [k, line] of item.entries()) {
        if (k) entry.append(make("br"));
        entry.append(make("bdi", line));
      }
      list.append(entry);
    }
    into.append(list);
  };
  const grounds = (title, kind, rows, into) => {
    if (!rows.length) return;
    if (title) into.append(make("h3", title));
    const list = make("ul", null, "grounds " + kind);
    for (const [text, added, below] of rows) {
      const entry = make("li");
      if (added !== null) entry.append(make("b", (added < 0 ? "−" : "+") + Math.abs(added).toFixed(2)));
      entry.append(make("span", texts[text]));
      entry.append(make("small", below === null ? "" : `above ${below > .99 ? (Math.floor(1000 * below + 1e-9) / 10).toFixed(1) : Math.floor(100 * below + 1e-9)} %`));
      list.append(entry);
    }
    into.append(list);
  };
  const page = (url, title, length) =>
    texts[url] + (length === null ? "" : ` (${whole(length)} bytes)`) + (title === null ? "" : ` “${texts[title]}”`);
  const evidence = (at, into) => {
    const weighed = explained.evidence[at].filter(one => one[1] !== null);
    const known = weighed.filter(one => one[2] !== null);
    grounds("Speaks for it", "for", known.filter(one => one[1] >= .05).slice(0, 10), into);
    grounds("Speaks against it", "against", known.filter(one => one[1] <= -.05).slice(0, 8), into);
    const unknown = weighed.filter(one => one[2] === null && Math.abs(one[1]) >= .05);
    grounds("Not known", "unknown", unknown.slice(0, 6), into);
    const rest = weighed.length ? weighed.filter(one => Math.abs(one[1]) < .05) : explained.evidence[at];
    const more = make("details");
    more.append(make("summary", weighed.length ? "what adds next to nothing" : "what is known of the pair"));
    grounds("", weighed.length ? "" : "known", rest, more);
    more.open = !weighed.length && !explained.rules;
    if (rest.length) into.append(more);
    if (weighed.length) into.append(make("p", "Log odds added, and the share of candidates that have less.", "note"));
    const near = explained.neighbours[at];
    if (near) into.append(make("p", `Hosts that both are probably replicas of: ${near[0].toFixed(1)}, a share of ${near[1].toFixed(2)} of those of either; that adds ${near[2].toFixed(2)}.`));
  };
  const explain = i => {
    const text = id("why-text"), at = place.get(pairs.rank[i]);
    text.replaceChildren();
    const head = make("h3");
    head.id = "why-title";
    head.append(make("bdi", nameOf.host_a(i)), " and ", make("bdi", nameOf.host_b(i)));
    text.append(head);
    const facts = columns.map(key => `${table.tHead.querySelector(`[data-key=${key}]`).textContent.toLowerCase()} ${(shown[key] || share)(pairs[key][i]) || "no"}`);
    text.append(make("p", at === undefined ? `Rank ${whole(pairs.rank[i])} of the ranking.` : texts[explained.verdict[at]]), make("p", facts.join(", "), "note"));
    const fates = [pairs.a[i], pairs.b[i]].flatMap(host => (data.hosts[host] || [0]).slice(1)).map(fate => [texts[fate]]);
    const sizes = [pairs.a[i], pairs.b[i]].map(host => [`${texts[host]}: ${whole((data.hosts[host] || [0])[0])} URLs`]);
    if (at !== undefined) {
      if (explained.rules) for (const lines of explained.rules.by_pattern[explained.rules.pattern[at]]) listed(texts[lines[0]], lines.slice(1).map(line => [texts[line]]), text);
      evidence(at, text);
      const shared = explained.shared[at] || [0], differing = explained.differing[at] || [0];
      listed(`Contents that both have: ${whole(shared[0])}`, shared.slice(1).map(one => [texts[one[0]], texts[one[1]], `on ${whole(one[2])} hosts${one[3] ? ", near duplicates" : ""}`]), text);
      listed(`Pages at one path that differ: ${whole(differing[0])}`, differing.slice(1).map(one => [page(one[0], one[2], one[4]), page(one[1], one[3], one[5])]), text);
    } else text.append(make("p", "This pair carries no full explanation in the page. The database has it:"));
    listed("What becomes of them", fates.length ? fates : [["Neither is in a group: both stay."]], text);
    listed("Sizes", sizes, text);
    const quoted = name => /^[\w.\/:-]+$/.test(name) ? name : "'" + name.replaceAll("'", "'\\''") + "'";
    const command = make("p");
    command.append(make("code", `${data.command} ${quoted(nameOf.host_a(i))} ${quoted(nameOf.host_b(i))}`));
    text.append(command);
    why.scrollTop = 0;
  };
  const open = at => {
    why.hidden = false;
    go(at, false);
    why.focus();
  };
  const close = () => {
    if (why.hidden) return;
    why.hidden = true;
    mark();
    const line = body.rows[current - leaf * leafSize];
    if (line) line.focus();
  };

  for (const heading of table.tHead.querySelectorAll("th[data-key]")) {
    const button = make("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const key = heading.dataset.key;
      const rising = ["rank", "host_a", "host_b", "kind"].includes(key);
      sorted = [key, sorted[0] === key ? !sorted[1] : rising];
      for (const other of table.tHead.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", sorted[1] ? "ascending" : "descending");
      chosen();
    });
  }
  for (const name of ["filter", "decision", "kind"]) id(name).addEventListener("input", chosen);
  id("pager").addEventListener("click", event => { if (event.target.dataset.go) turn(event.target.dataset.go); });
  body.addEventListener("click", event => {
    const line = event.target.closest("tr");
    if (line && !String(getSelection())) open(Number(line.dataset.at));
  });
  const keys = { ArrowDown: () => current + 1, ArrowUp: () => current - 1, PageDown: () => current + leafSize, PageUp: () => current - leafSize, Home: () => 0, End: () => order.length - 1 };
  body.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (keys[event.key]) go(keys[event.key]());
    else if (event.key === "Enter" || event.key === " ") open(current);
    else return;
    event.preventDefault();
  });
  id("filter").addEventListener("keydown", event => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    go(current);
  });
  why.addEventListener("keydown", event => {
    if (event.target !== why || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    go(current + (event.key === "ArrowRight" ? 1 : -1), false);
    event.preventDefault();
  });
  id("why-close").addEventListener("click", close);
  addEventListener("keydown", event => {
    if (event.key === "Escape") close();
    if (event.key === "/" && !event.target.closest("input, select, textarea")) {
      id("filter").focus();
      event.preventDefault();
    }
  });
  id("filters").hidden = id("pager").hidden = false;
  chosen();
})();
