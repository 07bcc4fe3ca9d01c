/** The style sheet of the pages that mails link to. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#fdfcf9, #16171b);
  --raised: light-dark(#ffffff, #1e2026);
  --ink: light-dark(#23211d, #e6e4df);
  --soft: light-dark(#6a655c, #a09c94);
  --line: light-dark(#e4e0d6, #31343c);
  --accent: light-dark(#6b3fa0, #c4a3f5);
}
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", sans-serif; }
main { box-sizing: border-box; width: min(30rem, 100% - 2rem); margin: 1rem; padding: 2rem; background: var(--raised); border: 1px solid var(--line); border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
p { margin: .75rem 0; }
code { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .88em; }
form { margin: 1.25rem 0; }
button { padding: .6rem 1.2rem; font: inherit; font-weight: 600; color: var(--raised); background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; }
button:hover { filter: brightness(1.1); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
.soft { margin-bottom: 0; color: var(--soft); font-size: .88rem; }
`;
