import { csvRows } from "../../rows/index.ts";
import { listed } from "../../template/variable.ts";
import { type Found, ImportError, type StreamDetector } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { notUtf8, rowsOf } from "../foreign/stream.ts";

/** What people call the column with the title, and that with the prompt, in lower case. */
const titles = ["act", "title", "name", "label"];
const prompts = ["prompt", "prompt_text", "prompt text", "prompt_template", "prompt template"];

/** A table of prompts, such as that of awesome-chatgpt-prompts. */
export const csvPrompts: StreamDetector = {
  name: "csv",
  title: "Table of prompts",
  documentation: "https://github.com/f/awesome-chatgpt-prompts",
  confidence: 0.95,
  takes: (path) => /\.csv$/i.test(path),
  async *stream(chunks) {
    let columns: Columns | undefined;
    let row = 0;
    const counts = new Map<string, number>();
    for await (const { cells } of rowsOf(chunks, csvRows())) {
      row++;
      if (columns === undefined) {
        columns = columnsOf(cells);
        if (columns === undefined) return;
      } else if (cells.some((cell) => cell.trim() !== "")) {
        const found = notUtf8(cells.join(), `row ${row}`) ?? readRow(cells, row, columns);
        if (found instanceof ImportError) yield found;
        else {
          columns.warnings = [];
          const title = found.name.replace(/\s+/g, " ").slice(0, 100);
          const count = (counts.get(title) ?? 0) + 1;
          counts.set(title, count);
          // Its number changes with each row that is added above.
          yield { ...found, part: count === 1 ? title : `${title} (${count})` };
        }
      }
    }
  },
};

interface Columns {
  title: number;
  prompt: number;
  /** For the first prompt. */
  warnings: string[];
}

function columnsOf(header: readonly string[]): Columns | undefined {
  const names = header.map((name) => name.trim().toLowerCase());
  const indexOf = (known: readonly string[]) => names.findIndex((name) => known.includes(name));
  const [title, prompt] = [indexOf(titles), indexOf(prompts)];
  const cells = header.length === 1 ? (header[0] ?? "").split(/[;\t]/) : [];
  if (cells.length > 1 && columnsOf(cells) !== undefined)
    throw new ImportError("Its cells are separated by semicolons or tabs. Separate them by commas.");
  if (title === -1 || prompt === -1) return undefined;
  const others = header.filter((_, index) => index !== title && index !== prompt);
  const warnings = others.length === 0 ? [] : [`Of all rows these columns are left out: ${listed(others)}.`];
  return { title, prompt, warnings };
}

function readRow(cells: readonly string[], row: number, { title: at, prompt, warnings }: Columns): Found {
  const part = `row ${row}`;
  const title = (cells[at] ?? "").trim();
  const text = cells[prompt] ?? "";
  if (title === "") return new ImportError("It has no title.", part);
  if (text.trim() === "") return new ImportError("It has no prompt.", part);
  return draftOf({ name: title, items: [{ role: "user", content: text }], syntax: "dollar", warnings });
}
