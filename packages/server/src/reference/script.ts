/** The page's only script: it narrows the contents to what is typed. */
export const script = `
const filter = document.getElementById("filter");
const contents = document.getElementById("contents");
filter.hidden = false;
if (matchMedia("(max-width: 60rem)").matches) contents.open = false;
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\\s+/);
  contents.open = true;
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
`;
