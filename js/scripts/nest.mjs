// Says "below .acp-widget" once, and not in each of some 400 selectors: a seventh of the stylesheet.

const ROOT = ".acp-widget";

/** Puts rules that follow each other into one rule for the widget, by CSS nesting. They mean what they meant, in their order. */
export function nested(css) {
  let out = "";
  let inside = "";
  const close = () => {
    if (inside) out += `${ROOT}{${inside}}`;
    inside = "";
  };
  for (const rule of rulesOf(css)) {
    const below = within(rule);
    if (below === null) {
      close();
      out += rule.text;
    } else inside += below;
  }
  close();
  return out;
}

/** A rule as it stands inside that of the widget, or null when it cannot. */
function within({ head, body }) {
  if (head.startsWith("@media") || head.startsWith("@container")) {
    const all = rulesOf(body).map(within);
    return all.includes(null) ? null : `${head}{${all.join("")}}`;
  }
  const all = pieces(head, ",").map(relative);
  return all.includes(null) ? null : `${all.join()}{${body}}`;
}

/** A selector as seen from the widget. A name of an element needs the sign of nesting: the first browsers that nest want it. */
function relative(selector) {
  if (!selector.startsWith(ROOT) || /^[\w-]/.test(selector.slice(ROOT.length))) return null;
  const rest = selector.slice(ROOT.length);
  if (!rest.startsWith(" ")) return `&${rest}`;
  return /^ [a-z]/.test(rest) ? `&${rest}` : rest.slice(1);
}

function rulesOf(css) {
  return pieces(css, "}").map((text) => {
    const at = text.indexOf("{");
    return { text: `${text}}`, head: text.slice(0, at), body: text.slice(at + 1) };
  });
}

/** A minified text cut at a sign that stands in no brackets of its own and in no string. "}" counts as the end of a rule. */
function pieces(text, sign) {
  const out = [];
  let depth = 0;
  let from = 0;
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[(){}[\],]/g)) {
    if ("({[".includes(found)) depth += 1;
    else if (")}]".includes(found)) depth -= 1;
    if (found !== sign || depth > 0) continue;
    out.push(text.slice(from, index));
    from = index + 1;
  }
  const rest = text.slice(from).trim();
  return rest ? [...out, rest] : out;
}
