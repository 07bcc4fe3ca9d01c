/**
 * The script of all pages of the reference. It leads from the index to what an address such as `/reference#prompts.get` is
 * about, narrows the contents to what is typed, and keeps the kind of examples from page to page.
 */
export const script = `
const entry = document.getElementById(location.hash.slice(1));
if (entry && entry.matches(".index li")) location.replace(entry.querySelector("a").href);

const filter = document.getElementById("filter");
const contents = document.getElementById("contents");
filter.hidden = false;
if (matchMedia("(max-width: 60rem)").matches) contents.open = false;
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\\s+/);
  contents.open = true;
  contents.classList.toggle("filtered", filter.value !== "");
  for (const section of contents.querySelectorAll("section")) {
    const items = [...section.querySelectorAll("li")];
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.words.toLowerCase().includes(word));
    }
    section.hidden = filter.value !== "" && items.every((item) => item.hidden);
  }
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input")) return;
  event.preventDefault();
  filter.focus();
});

for (const kind of document.querySelectorAll("nav input[type=radio]")) {
  if (sessionStorage.examples === kind.id) kind.checked = true;
  kind.addEventListener("change", () => { sessionStorage.examples = kind.id; });
}
`;
