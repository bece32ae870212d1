
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const missing = "–";
  const svgName = "http://www.w3.org/2000/svg";

  // Numbers for people, as the page writes them.
  const grouped = (text) => {
    const [whole, decimals] = text.replace("-", "").split(".");
    const sign = text.startsWith("-") ? "−" : "";
    return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals === undefined ? "" : "." + decimals);
  };
  const power = (number, decimals) => number.toExponential(decimals).replace("e+", "e");
  const count = (number) => {
    if (!Number.isFinite(number)) return missing;
    if (Math.abs(number) >= 1e15) return power(number, 3);
    return grouped(number.toFixed(Number.isInteger(number) ? 0 : 2));
  };
  const digits = (number, many) => {
    const size = Math.abs(number);
    if (!Number.isFinite(number)) return missing;
    if (size === 0) return "0";
    if (size < 1e-4 || size >= 1e6) return power(number, many - 1);
    return grouped(number.toFixed(Math.max(many - 1 - Math.floor(Math.log10(size)), 0)));
  };
  const amount = (number) => (Number.isInteger(number) || Math.abs(number) >= 100 ? count(number) : digits(number, 4));
  const share = (part) => {
    if (part === null || !Number.isFinite(100 * part)) return missing;
    return Math.abs(part) < 1e6 ? (100 * part).toFixed(2) + "\u00a0%" : power(100 * part, 3) + "\u00a0%";
  };
  const number = (value) => (Number.isInteger(value) ? count(value) : digits(value, 4));
  const ratio = (part, whole) => (whole > 0 && Number.isFinite(part / whole) ? part / whole : null);

  // Where a number lies in a chart.
  const along = (axis, value) => {
    const place = axis.log
      ? Math.log(Math.max(value, axis.min) / axis.min) / Math.log(axis.max / axis.min)
      : (value - axis.min) / (axis.max - axis.min);
    return Math.min(Math.max(place, 0), 1);
  };
  const place = (frame, x, y) => {
    const [left, top, right, bottom] = frame.box;
    return [left + (right - left) * along(frame.x, x), bottom - (bottom - top) * along(frame.y, y)];
  };
  const shape = (svg, name, attributes) => {
    const made = document.createElementNS(svgName, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    svg.append(made);
    return made;
  };

  // Lets a chart be read with a pointer, a finger or the arrow keys. `points` are where readings are; `read` says one.
  const readable = (frame, points, read, choose) => {
    const plot = document.getElementById(frame.id);
    const usable = points.map((point, i) => ({ i, point })).filter(({ point }) => point.marks.length > 0);
    if (!plot || usable.length === 0) return;
    const svg = plot.querySelector("svg");
    const figure = plot.closest("figure");
    const output = figure.querySelector(".reading") || document.createElement("output");
    output.className = "reading";
    figure.append(output);
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", svg.querySelector("title").textContent + ": left and right arrow keys read the values" +
      (choose ? ", Enter chooses the threshold" : ""));
    const layer = shape(svg, "g", { "aria-hidden": "true" });
    let at = -1;
    const show = (next) => {
      at = Math.min(Math.max(next, 0), usable.length - 1);
      const { point } = usable[at];
      layer.replaceChildren();
      const [, top, , bottom] = frame.box;
      if (!choose) shape(layer, "path", { class: "guide", d: `M${point.marks[0][0]} ${top}V${bottom}` });
      point.marks.forEach(([x, y], i) =>
        shape(layer, "circle", { class: i < point.marks.length - 1 ? "read second" : "read", cx: x, cy: y, r: 4 }));
      output.textContent = read(usable[at].i);
    };
    const nearest = (event) => {
      const box = svg.getBoundingClientRect();
      const zoom = svg.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * zoom, (event.clientY - box.top) * zoom];
      const far = ({ point }) => Math.min(...point.marks.map(([a, b]) => (choose ? Math.hypot(a - x, b - y) : Math.abs(a - x))));
      return usable.reduce((best, one, i) => (far(one) < far(usable[best]) ? i : best), 0);
    };
    const clear = () => {
      layer.replaceChildren();
      output.textContent = "";
    };
    plot.addEventListener("pointermove", (event) => show(nearest(event)));
    plot.addEventListener("pointerdown", (event) => show(nearest(event)));
    plot.addEventListener("pointerleave", () => { if (document.activeElement !== plot) clear(); });
    plot.addEventListener("blur", clear);
    plot.addEventListener("focus", () => { if (at < 0 && plot.matches(":focus-visible")) show(usable.length - 1); });
    if (choose) plot.addEventListener("click", () => { if (at >= 0) choose(usable[at].i); });
    plot.addEventListener("keydown", (event) => {
      const page = Math.ceil(usable.length / 20);
      const steps = { ArrowRight: 1, ArrowLeft: -1, PageUp: page, PageDown: -page, Home: -usable.length, End: usable.length };
      if (event.key in steps) show(at + steps[event.key]);
      else if (event.key === "Enter" && choose && at >= 0) choose(usable[at].i);
      else return;
      event.preventDefault();
    });
  };

  // Curves of figures, and calibration.
  for (const { frames, at, lines } of data.charts) for (const frame of frames) {
    const written = (axis, value) => (axis.share ? share(value) : number(value));
    const points = at.map((x, i) => ({
      marks: lines.filter((line) => line.values[i] !== null).map((line) => place(frame, x, line.values[i])),
    }));
    readable(frame, points, (i) => [`${written(frame.x, at[i])} ${frame.x.label}`]
      .concat(lines.filter((line) => line.values[i] !== null)
        .map((line) => (line.name ? line.name + " " : "") + written(frame.y, line.values[i]))
        .reverse())
      .join(" · "));
  }
  const scale = document.getElementById("scale");
  if (scale) {
    scale.hidden = false;
    scale.addEventListener("change", (event) => {
      for (const one of document.querySelectorAll("[data-scale]")) one.hidden = one.dataset.scale !== event.target.value;
    });
  }

  // Thresholds.
  for (const { id, operating, positive, negative, curves } of data.panels) {
    const root = document.getElementById("t" + id);
    const { positives, negatives, points, inUse } = operating;
    const total = positives + negatives;
    const last = points.length - 1;
    const slider = document.getElementById(`t${id}-slider`);
    const wrong = document.getElementById(`t${id}-wrong`);
    const costs = { missed: operating.missed, "false-alarm": operating.falseAlarm };
    const is = (name) => root.querySelector(`[data-is="${name}"]`);
    const put = (name, text) => { is(name).textContent = text; };

    const at = (i) => {
      const [threshold, tp, fp] = points[i];
      return {
        threshold: threshold !== null ? digits(threshold, 6) : i === 0 ? "above all scores" : "below all scores",
        tp, fp, fn: positives - tp, tn: negatives - fp,
        precision: ratio(tp, tp + fp), recall: ratio(tp, positives), rate: ratio(fp, negatives),
        f1: ratio(2 * tp, positives + tp + fp), flagged: ratio(tp + fp, total),
        cost: (positives - tp) * costs.missed + fp * costs["false-alarm"],
      };
    };
    const perThousand = (part) => (part === null ? missing : digits(1000 * part, 4));
    const cheapest = () => {
      let best = 0;
      for (let i = 1; i <= last; i++) if (at(i).cost < at(best).cost) best = i;
      return best;
    };
    const spot = (curve, frame, now) => {
      if (curve === "roc") return [now.rate, now.recall];
      if (curve === "pr") return [now.recall, now.precision];
      const least = Math.min(positives * costs.missed, negatives * costs["false-alarm"]);
      return [now.tp + now.fp, now.cost === 0 ? 0 : Math.min(now.cost / least, frame.y.max)];
    };

    const alternative = (name, i) => {
      const row = root.querySelector(`[data-row="${name}"]`);
      if (!row || i === null) return;
      const now = at(i);
      [now.threshold, perThousand(now.flagged), count(now.fn), count(now.fp), amount(now.cost)]
        .forEach((text, i) => { row.cells[i + 1].textContent = text; });
    };
    const show = () => {
      const now = at(last - slider.valueAsNumber);
      put("threshold", now.threshold);
      put("precision", share(now.precision));
      put("recall", share(now.recall));
      put("f1", share(now.f1));
      put("alerts", perThousand(now.flagged));
      put("cost", amount(now.cost));
      put("mean-cost", amount((1000 * now.cost) / total));
      for (const name of ["tp", "fn", "fp", "tn"]) put(name, count(now[name]));
      put("missed-cost", amount(costs.missed));
      put("false-alarm-cost", amount(costs["false-alarm"]));
      alternative("model", inUse);
      alternative("cheapest", cheapest());
      alternative("nothing", 0);
      alternative("everything", last);
      slider.setAttribute("aria-valuetext", `${now.threshold}, precision ${share(now.precision)}, recall ${share(now.recall)}, cost ${amount(now.cost)}`);
      for (const { curve, frame } of curves) {
        const [x, y] = spot(curve, frame, now);
        const mark = document.getElementById(frame.id).querySelector(".chosen");
        mark.setAttribute("visibility", x === null || y === null ? "hidden" : "visible");
        if (x === null || y === null) continue;
        const [left, top] = place(frame, x, y);
        mark.setAttribute("cx", left.toFixed(1));
        mark.setAttribute("cy", top.toFixed(1));
      }
    };
    const choose = (i) => {
      slider.value = last - i;
      show();
      put("said", `Threshold ${slider.getAttribute("aria-valuetext")}`);
    };

    slider.addEventListener("input", show);
    for (const input of root.querySelectorAll("[data-cost]")) {
      input.addEventListener("input", () => {
        const value = input.valueAsNumber;
        const usable = Number.isFinite(value) && value >= 0;
        input.setAttribute("aria-invalid", String(!usable));
        if (usable) costs[input.dataset.cost] = value;
        const bad = root.querySelector('[data-cost][aria-invalid="true"]');
        wrong.textContent = bad ? "A cost is a number from 0 on." : "";
        drawCosts();
        show();
      });
    }
    const does = { cheapest: () => choose(cheapest()), model: () => choose(inUse) };
    for (const button of root.querySelectorAll("[data-do]")) button.addEventListener("click", does[button.dataset.do]);
    const readings = curves.map(({ curve, frame }) => ({ curve, frame, marks: points.map(() => ({ marks: [] })) }));
    const placeAll = ({ curve, frame, marks }) => points.forEach((_, i) => {
      const [x, y] = spot(curve, frame, at(i));
      marks[i].marks = x === null || y === null ? [] : [place(frame, x, y)];
    });
    // Only this curve depends on the costs.
    const drawCosts = () => {
      const reading = readings.find(({ curve }) => curve === "cost");
      if (!reading) return;
      placeAll(reading);
      const svg = document.getElementById(reading.frame.id);
      const spots = reading.marks.map(({ marks }) => marks[0].map((number) => number.toFixed(1)).join(" "));
      svg.querySelector(".line.main").setAttribute("d", "M" + spots.join("L"));
      if (inUse === null) return;
      const [x, y] = reading.marks[inUse].marks[0];
      svg.querySelector(".model").setAttribute("d", `M${x} ${y - 7.5}l7.5 7.5l-7.5 7.5l-7.5 -7.5z`);
    };
    for (const reading of readings) {
      placeAll(reading);
      readable(reading.frame, reading.marks, (i) => {
        const now = at(i);
        return `threshold ${now.threshold} · ${share(now.recall)} of ${positive} found, ${share(now.rate)} of ${negative} flagged` +
          ` · precision ${share(now.precision)} · cost ${amount(now.cost)}`;
      }, choose);
    }
    root.querySelector(".chooser").hidden = false;
    for (const entry of root.closest("section").querySelectorAll("[data-moving]")) entry.hidden = false;
    show();
  }
  document.documentElement.dataset.ready = "yes";
})();
