"use strict";
// The page is complete without this script. It adds four things: what scrolls sideways says so, what a mark in a chart says shows beside the pointer
// (or on a tap), headings of the table of methods sort its rows within their family, and charts can be saved.
(() => {
  const wide = () => { // what scrolls sideways says so
    for (const box of document.querySelectorAll(".scroll")) box.classList.toggle("wider", box.scrollWidth > box.clientWidth + 1);
  };
  addEventListener("resize", wide);
  addEventListener("toggle", wide, true); // of details, whose tables had no width before
  wide();
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  let near = null;
  const nearest = (chart, x, y) => { // the mark within reach whose middle is nearest; those not drawn have no size
    let found = null, least = 18;
    for (const mark of chart ? chart.querySelectorAll("[data-tip]") : []) {
      const box = mark.getBoundingClientRect();
      if (!box.width && !box.height) continue;
      const far = Math.hypot(box.x + box.width / 2 - x, (box.height > 60 ? y : box.y + box.height / 2) - y);
      if (far < least) [found, least] = [mark, far];
    }
    return found;
  };
  const show = event => {
    const mark = nearest(event.target.closest && event.target.closest("svg[role=img]"), event.clientX, event.clientY);
    if (near) near.classList.remove("near");
    near = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("near");
    tip.textContent = mark.getAttribute("data-tip");
    const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = event.clientY + 18 + tip.offsetHeight > innerHeight;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = (above ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18) + "px";
  };
  for (const name of ["pointermove", "pointerdown"]) document.addEventListener(name, show);
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const heading of table.querySelectorAll("th[data-sort]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const text = heading.dataset.sort === "text";
        const up = heading.getAttribute("aria-sort") === "descending" || (text && !heading.hasAttribute("aria-sort"));
        const place = heading.cellIndex;
        const value = row => {
          const cell = row.cells[place];
          if (text) return cell.textContent;
          return cell.dataset.v === undefined ? null : Number(cell.dataset.v);
        };
        const compare = (a, b) => {
          const x = value(a), y = value(b);
          if (x === null || y === null) return (x === null) - (y === null); // undefined comes last either way
          const order = text ? x.localeCompare(y, "en") : x - y;
          return up ? order : -order;
        };
        for (const body of table.tBodies) {
          const rows = [...body.rows].filter(row => !row.classList.contains("family"));
          body.append(...rows.sort(compare));
        }
        for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", up ? "ascending" : "descending");
      });
    }
  }

  const standalone = svg => { // as a file of its own: colours of the page as it is seen now, without what is hidden
    const copy = svg.cloneNode(true);
    const style = getComputedStyle(document.documentElement);
    const copies = [copy, ...copy.querySelectorAll("*")];
    [svg, ...svg.querySelectorAll("*")].forEach((mark, i) => {
      if (i && getComputedStyle(mark).display === "none") copies[i].setAttribute("display", "none");
      copies[i].removeAttribute("data-tip");
      for (const name of ["fill", "stroke"]) {
        const colour = /^var\((--\w+)\)$/.exec(mark.getAttribute(name) || "");
        if (colour) copies[i].setAttribute(name, style.getPropertyValue(colour[1]).trim());
      }
    });
    const [x, y, width, height] = svg.getAttribute("viewBox").split(/[ ,]+/).map(Number);
    const ground = document.createElementNS(svg.namespaceURI, "rect");
    for (const [name, value] of Object.entries({ x, y, width, height, fill: style.getPropertyValue("--paper").trim() })) ground.setAttribute(name, value);
    copy.prepend(ground);
    for (const [name, value] of Object.entries({ width, height, "font-family": "Arial, Helvetica, sans-serif" })) copy.setAttribute(name, value);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  };
  const save = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  const savings = {
    SVG: (chart, name) => save(new Blob([chart.text], { type: "image/svg+xml" }), name + ".svg"),
    PNG: (chart, name) => {
      const picture = new Image();
      picture.onload = () => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [chart.width * 3, chart.height * 3];
        canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(blob => save(blob, name + ".png"), "image/png");
      };
      picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(chart.text);
    },
  };
  for (const figure of document.querySelectorAll("figure")) {
    const svg = figure.querySelector(":scope > svg[role=img], :scope > .scroll > svg[role=img]");
    if (!svg) continue;
    const title = (figure.querySelector("h3") || figure.closest("section").querySelector("h2")).textContent;
    const name = title.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 60) || "chart";
    const buttons = document.createElement("p");
    buttons.className = "save";
    for (const [kind, how] of Object.entries(savings)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.setAttribute("aria-label", `Save ${title} as ${kind}`);
      button.addEventListener("click", () => how(standalone(svg), name));
      buttons.append(button, " ");
    }
    (figure.querySelector("figcaption") || figure).before(buttons);
  }

  addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("details")) d.open = true; });
})();
