import { randomInt } from "node:crypto";
import type { InteractionAnswer, Prompt, SearchPage } from "@promptreg/core";
import { splitFrontmatter } from "@promptreg/core/imports";
import { type PromptAddress, parseRef } from "@promptreg/core/refs";
import type { ServerContext } from "../../kernel/server-context.ts";
import { offerCode } from "./codes.sql.ts";
import type { Command } from "./interaction.ts";
import { inLine, literally, mostOfDescription, privately, privatelyShown, publicly } from "./message.ts";

/** How many prompts a search shows. */
const mostFound = 5;

/** The answer of a read of the API to whoever has no token; null if it refused. */
async function ask<T>(server: ServerContext, path: string): Promise<T | null> {
  const answer = await server.ask(path);
  const location = answer.headers.get("location");
  // What was renamed stands elsewhere now. Nothing leads on from there.
  if (location !== null) return ask(server, location.slice(`${server.publicUrl}/api/v1`.length));
  if (answer.status >= 500) throw new Error(`${path} answered ${answer.status}`);
  return answer.status === 200 ? ((await answer.json()) as T) : null;
}

/** `/search q`: the best matches of the search that everybody has. */
export async function answerSearch({ options }: Command, server: ServerContext): Promise<InteractionAnswer> {
  const query = new URLSearchParams({ q: options.get("q") ?? "", type: "prompt", limit: String(mostFound) });
  const found = await ask<SearchPage>(server, `/search?${query.toString()}`);
  if (found === null) return privately("Write the words to look for, in up to 200 characters.");
  let description = "";
  for (const { entity } of found.items) {
    if (!("ref" in entity)) continue;
    const { title, url, ref, summary } = entity;
    const about = summary === null ? "" : `\n${inLine(summary, 250)}`;
    const entry = `**[${inLine(title, 150)}](${url})** ${literally(ref)}${about}\n\n`;
    if (description.length + entry.length <= mostOfDescription) description += entry;
  }
  return description === ""
    ? privately("Nothing public fits. Use fewer or other words.")
    : publicly({ description: description.trimEnd() });
}

const missing = privately("There is no public prompt at this address. `/search` finds prompts.");

/** `/prompt ref`: what a prompt is, and how its text begins. */
export async function answerPrompt({ options }: Command, server: ServerContext): Promise<InteractionAnswer> {
  let named: PromptAddress;
  try {
    named = parseRef((options.get("ref") ?? "").trim().toLowerCase());
  } catch {
    return privately(
      "Write the address of a prompt: `owner/slug`, `owner/slug@3` or `owner/slug@production`.",
    );
  }
  const { owner, slug, version, label } = named;
  const which =
    version === undefined ? (label === undefined ? "" : `?label=${label}`) : `?version=${version}`;
  const prompt = await ask<Prompt>(server, `/prompts/${owner}/${slug}${which}`);
  if (prompt === null || prompt.version === null) return missing;
  const url = which === "" ? prompt.url : `${prompt.url}@${prompt.version.n}`;
  if (prompt.rating === "mature")
    return privately(`This prompt is rated mature, and is not shown here: <${url}>`);
  const shown = { title: inLine(prompt.title), url, description: describe(prompt) };
  // Whoever has the address of an unlisted prompt may see it, and not everybody in the channel.
  return prompt.visibility === "public" ? publicly(shown) : privatelyShown(shown);
}

/** Its summary, the beginning of its text, and its address. */
function describe({ ref, kind, summary, version }: Prompt): string {
  const entry = version?.files.find(({ path }) => path === version.entry);
  // The first thousands of characters are more than is shown.
  const text = entry?.encoding === "utf8" ? (entry.content ?? "").slice(0, 20_000) : "";
  return [
    summary === null ? "" : inLine(summary),
    literally(splitFrontmatter(text).body.trim(), 2_000),
    `${literally(`${ref}@${version?.n}`)} · ${kind}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Without letters and digits that look alike. */
const alphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/** `/link`: a code for the account that sends it to `discord.link.put`. It replaces the one before. */
export async function answerLink({ id, by }: Command, server: ServerContext): Promise<InteractionAnswer> {
  const code = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("");
  const isNew = await offerCode(server.sql, { interactionId: id, by, hash: hashOf(code, server) });
  return privately(
    isNew
      ? `Your code is **${code}**. It works once, within ten minutes. Write \`promptreg discord link ${code}\` in a terminal, or send it to \`PUT ${server.publicUrl}/api/v1/me/discord\`. Show it to nobody: it links your account here with theirs.`
      : "This command was answered already. Write `/link` again for a new code.",
  );
}

/** What is kept of a code. The key is of the server's secret, so that nobody who has the database can try all codes. */
export const hashOf = (code: string, { secrets }: Pick<ServerContext, "secrets">): Buffer =>
  secrets.discordCodes.digest(code.trim().toUpperCase());
