import { entryFiles } from "../content/kinds.ts";
import { comparePaths, isDeviceName } from "../content/paths.ts";
import { readJson, readYaml } from "../content/plain-data.ts";
import { splitFrontmatter } from "../template/frontmatter.ts";
import type { Json } from "../template/variable.ts";
import { escapeBraces } from "../template/render.ts";
import { asText, type ChatItem, fillMessage, readItems } from "../template/version.ts";
import { FormatError, type FormatPrompt, type FormatSource, type Written } from "./format.ts";
import { isPlaceholder } from "./messages.ts";
import { formats } from "./table.ts";
import { formatKinds, type FormatName } from "./names.ts";

/**
 * Writes a version in the format of a tool. The files are sorted by path. `folder` replaces that of the format.
 * @throws {FormatError} `format_not_supported` for a kind that the format cannot express; `format_too_large`;
 *   `format_unsafe` if the tool would run commands that stand in the text.
 */
export function writeFormat(
  name: FormatName,
  source: FormatSource,
  { folder = formats[name].folder }: { folder?: string | undefined } = {},
): Written {
  const kinds: readonly string[] = formatKinds[name];
  if (!kinds.includes(source.kind)) {
    throw new FormatError(
      "format_not_supported",
      `${name} cannot express a prompt of kind ${source.kind}. It is for ${kinds.join(", ")}.`,
    );
  }
  const { files, risks = [], warnings = [] } = formats[name].write(readPrompt(source));
  const placed =
    folder === undefined ? files : files.map((one) => ({ ...one, path: `${folder}/${one.path}` }));
  const device = placed.flatMap(({ path }) => path.split("/")).find(isDeviceName);
  if (device !== undefined) {
    throw new FormatError(
      "format_not_supported",
      `Windows cannot have a file or folder named ${device}, as ${name} would write. Choose another name.`,
    );
  }
  const sorted = placed.toSorted(comparePaths);
  return { files: sorted, warnings: [...risks, ...warnings], risks };
}

function readPrompt(source: FormatSource): FormatPrompt {
  const { entry } = source.version;
  const text = source.files.find(({ path }) => path === entry)?.content;
  if (typeof text !== "string") throw new TypeError(`A format needs the text of ${entry}.`);
  const data = entry === entryFiles.chat ? readJson(text) : readYaml(splitFrontmatter(text).yaml ?? "", 2);
  const value = "value" in data && isObject(data.value) ? data.value : {};
  const { items, isLiteral } = readItems(entry, text);
  // No format fills in the text of a skill.
  const messages = isLiteral && source.kind !== "skill" ? items.map(escaped) : items;
  return {
    ...source,
    data: value,
    messages,
    body: asText(messages.filter(({ type }) => type !== "placeholder")),
    name: source.kind === "skill" && typeof value.name === "string" ? value.name : source.slug,
  };
}

/** A text without variables, as a template that prints it. */
const escaped = (item: ChatItem): ChatItem => (isPlaceholder(item) ? item : fillMessage(item, escapeBraces));

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
