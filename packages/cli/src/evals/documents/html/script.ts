/** The page's only script: it sorts and filters the cases. What is read works without it. */
export const script = `
const table = document.querySelector(".cases");
if (table) {
  const controls = document.querySelector(".controls");
  const found = document.querySelector(".found");
  const search = controls.querySelector("input");
  const buttons = [...controls.querySelectorAll("button")];
  const cases = [...table.tBodies];
  const texts = new Map();
  let kind = "";
  controls.hidden = found.hidden = false;

  const show = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    for (const one of cases) {
      if (words.length > 0 && !texts.has(one)) texts.set(one, one.textContent.toLowerCase());
      one.hidden =
        (kind !== "" && !one.dataset.kinds.split(" ").includes(kind)) ||
        !words.every((word) => texts.get(one).includes(word));
      if (!one.hidden) count++;
    }
    found.textContent = count === cases.length ? "" : count + " of " + cases.length + " cases";
  };
  search.addEventListener("input", show);
  for (const button of buttons) {
    button.addEventListener("click", () => {
      kind = button.dataset.kind;
      for (const one of buttons) one.setAttribute("aria-pressed", String(one === button));
      show();
    });
  }

  const names = new Intl.Collator(undefined, { numeric: true });
  const nameOf = new Map(cases.map((one) => [one, one.querySelector("th").textContent]));
  const headings = [...table.tHead.querySelectorAll("th")];
  for (const heading of headings) {
    const { sort } = heading.dataset;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const isUp = heading.ariaSort !== "ascending";
      for (const one of headings) one.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      const by = sort === "key"
        ? (a, b) => names.compare(nameOf.get(a), nameOf.get(b))
        : (a, b) => a.dataset[sort] - b.dataset[sort];
      table.append(...cases.toSorted((a, b) => (isUp ? by(a, b) : by(b, a))));
    });
  }
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input")) return;
    event.preventDefault();
    search.focus();
  });
}
`;
