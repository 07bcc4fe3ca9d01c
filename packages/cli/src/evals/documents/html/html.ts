import { plain } from "../../../terminal/text.ts";

/** Markup that is safe to stand in a page as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that command a terminal or turn the text around them are shown by their codes. */
const escape = (text: string) =>
  plain(text.toWellFormed()).replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);

function textOf(part: Part): string {
  if (part === false || part === undefined || part === null) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escape(String(part));
}

/** Markup with every value in it escaped, unless it is markup itself. Attributes stand in double quotes. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.map((text, i) => text + textOf(parts[i])).join(""));
