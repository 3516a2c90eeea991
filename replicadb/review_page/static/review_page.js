// One pair after the other: shows what the server says of it, and sends one step a key.
// Whatever a crawl wrote is set as text, never as markup.
(() => {
  const id = name => document.getElementById(name);
  const make = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const whole = number => number.toLocaleString("en");
  const counted = (n, one) => `${whole(n)} ${one}${n === 1 ? "" : "s"}`;
  const buttons = [...document.querySelectorAll("[data-key]")];
  let turn = 0, busy = false, ended = false;

  const grounds = (list, rows) => list.replaceChildren(...rows.map(row => {
    const item = make("li");
    item.append(make("b", row.adds ? (row.adds > 0 ? "+" : "−") + Math.abs(row.adds).toFixed(2) : ""));
    const words = make("span", row.words);
    const than = row.below === 0 ? "no candidate has less" : `more than ${row.below > .99 ? (Math.floor(1000 * row.below) / 10).toFixed(1) : (100 * row.below).toFixed(0)}% of candidates`;
    if (row.below !== null) words.append(make("small", ` · ${than}`));
    item.append(words);
    return item;
  }));

  const page = side => {
    const box = make("div");
    if (side.title) box.append(make("strong", side.title));
    if (side.follow) {
      const link = make("a", side.url);
      link.href = side.follow;
      link.target = "_blank";
      link.rel = "noopener noreferrer nofollow";
      box.append(link);
    } else box.append(make("span", side.url));
    if (side.text) box.append(make("q", side.text));
    return box;
  };

  const sides = (name, heading, between, pages) => {
    const section = id(name);
    section.hidden = !pages;
    if (!pages) return;
    const files = pages.files ? `, of files: ${whole(pages.files)}` : "";
    section.querySelector("h2").textContent = `${heading}: ${whole(pages.n)}${files}`;
    section.querySelector(".sides").replaceChildren(...pages.rows.map(([a, b]) => {
      const row = make("div", null, "row");
      row.append(page(a), make("i", between), page(b));
      return row;
    }));
  };

  const told = (name, text) => {
    id(name).textContent = text || "";
    id(name).hidden = !text && name === "problem";
  };

  const progress = at => {
    const parts = [`${counted(at.decided, "pair")} decided in this review`];
    if (at.skipped) parts.push(`${whole(at.skipped)} skipped`);
    if (at.decisions !== undefined) parts.push(`${counted(at.decisions, "decision")} in all`);
    if (at.candidates !== undefined) parts.push(counted(at.candidates, "candidate pair"));
    if (at.middling) parts.push(`${whole(at.middling)} of them doubtful (.1 to .9)`);
    id("progress").textContent = parts.join(" · ");
  };

  const contradictions = lines => {
    id("contradictions").hidden = !lines.length;
    id("contradictions").querySelector("ul").replaceChildren(...lines.map(line => make("li", line)));
  };

  const show = state => {
    told("problem", state.problem);
    told("done", state.done);
    if (state.progress) progress(state.progress);
    if (state.turn !== undefined) turn = state.turn;
    if (state.ended) return finish("The review is closed", "Every decision is kept. Now bring the detection up to date: replicadb detect DB. This window can be closed.");
    if (state.contradictions === undefined) return;  // the state could not be had; what is shown stays
    contradictions(state.contradictions);
    id("database").textContent = `replicadb review ${state.database}`;
    id("evidence").hidden = !state.pair;
    sides("shared", "Pairs of pages of the same content", "=", state.shared);
    sides("differing", "At the same path, other content", "≠", state.differing);
    if (!state.pair) {
      id("pair").textContent = "No undecided pair is left to look at";
      id("verdict").textContent = "u takes the last step back, q ends the review.";
      id("fates").replaceChildren();
    } else {
      id("pair").replaceChildren(state.hosts[0].host, make("span", " and "), state.hosts[1].host);
      id("verdict").textContent = state.verdict;
      const sizes = state.hosts.filter(one => one.urls !== null)
        .map(one => `${one.host}: ${counted(one.urls, "URL")}`);
      id("fates").replaceChildren(...[...sizes, ...state.fates].map(line => make("li", line)));
      const unweighed = state.known.length > 0;  // method paper adds nothing up
      id("for").previousElementSibling.textContent = unweighed ? "What is known of both" : "Speaks for it";
      id("against").parentElement.hidden = unweighed;
      grounds(id("for"), state.known.length ? state.known : state.for);
      grounds(id("against"), state.against);
      id("unknown").parentElement.hidden = !state.unknown.length;
      grounds(id("unknown"), state.unknown);
      window.scrollTo(0, 0);
    }
    document.title = state.pair ? `${state.pair[0]} and ${state.pair[1]}` : "replicadb review";
    for (const button of buttons) button.disabled = !state.pair && "yns".includes(button.dataset.key);
  };

  const finish = (heading, words) => {
    ended = true;
    id("pair").textContent = heading;
    id("verdict").textContent = words;
    document.querySelector("main").hidden = true;
    for (const button of buttons) button.disabled = true;
  };

  const ask = async (path, options) => {
    busy = true;
    document.body.classList.add("busy");
    try {
      const answer = await fetch(path, { cache: "no-store", ...options });
      show(await answer.json());
    } catch {
      told("problem", "No answer from replicadb: is it still running? Whether the last step was saved: replicadb label DB --list. Then begin again: replicadb review DB.");
    }
    busy = false;
    document.body.classList.remove("busy");
  };

  const step = key => {
    const button = buttons.find(one => one.dataset.key === key);
    if (busy || ended || !button || button.disabled) return;
    ask("step", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ key, turn }) });
  };

  for (const button of buttons) button.addEventListener("click", () => { step(button.dataset.key); button.blur(); });
  document.addEventListener("keydown", event => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    step(event.key.toLowerCase());
  });
  ask("state");
})();
