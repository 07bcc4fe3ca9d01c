import type { OpenLink } from "@promptreg/client";
import { isLinkTo, type OpenTargetId, openTargetIds } from "@promptreg/core/formats";
import type { PromptAddress } from "@promptreg/core/refs";
import { CheckError, UsageError } from "../errors.ts";
import { readPairs } from "../requests/read-pairs.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { cell } from "../terminal/text.ts";
import { openUrl } from "./open-url.ts";

interface Options {
  in?: string;
  var?: string[];
  print?: boolean;
}

export async function open(
  context: Context,
  address: PromptAddress,
  { in: tool, var: values = [], print = false }: Options,
): Promise<void> {
  if (tool === undefined) {
    if (print || values.length > 0) throw new UsageError("Name a tool with --in, such as --in claude.");
    return listTools(context, address);
  }
  const { connect, output, env } = context;
  const target = checkTool(tool);
  const vars = readValues(values);
  const client = await connect();
  const { owner, slug, ...which } = address;
  const link = await client.openIn.link({ owner, slug, target, query: { ...which, ...(vars && { vars }) } });
  if (link.target !== target || !isLinkTo(target, link.url)) {
    throw new CheckError(
      `The registry sent a link that does not belong to ${target}. Nothing was opened. The link: ${link.url.slice(0, 200)}`,
    );
  }
  const isPasted = link.mode === "copy";
  if (!print && !isPasted) await openUrl(link.url, env);
  output.result(link, () => (print ? link.url : isPasted ? output.foreign(link.text) : ""));
  if (!output.isJson) tell(context, link, { print });
}

/** What to do, and what is missing. */
function tell({ output }: Context, { mode, target, url, missing }: OpenLink, { print }: { print: boolean }) {
  if (mode === "copy") {
    const what = print ? "This link has no text." : "No link can carry this text.";
    output.note(`${what} Paste the text into ${url}`);
  } else if (!print) output.note(`Opened in ${target}.`);
  if (missing.length > 0) output.note(`Without a value: ${missing.join(", ")}. Use --var name=value.`);
}

function checkTool(name: string): OpenTargetId {
  const known = openTargetIds.find((id) => id === name);
  if (known !== undefined) return known;
  const all = openTargetIds.join(", ");
  throw new UsageError(`Unknown tool ${name}. Known: ${all}.${didYouMean(name, openTargetIds)}`);
}

/** The values as the API takes them; undefined if there are none. */
function readValues(given: readonly string[]): string | undefined {
  if (given.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(readPairs(given)));
}

async function listTools({ connect, output }: Context, { owner, slug }: PromptAddress): Promise<void> {
  const client = await connect();
  const { kind } = await client.prompts.get({ owner, slug });
  const { items } = await take(client.openIn.targets({ query: { kind } }), openTargetIds.length * 10);
  output.result({ items }, () =>
    output.table(
      ["tool", "name", "how", "where"],
      items.map(({ id, name, mode, platform }) => [output.colors.bold(cell(id)), cell(name), mode, platform]),
    ),
  );
  if (!output.isJson) output.note("Choose one with --in.");
}
