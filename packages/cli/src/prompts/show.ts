import { cell, counted, sizeOf } from "../terminal/text.ts";
import type { Prompt, Variable, Version } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { originOf } from "./origin.ts";
import { authorsOf } from "./proposers.ts";
import { printTable } from "../terminal/table.ts";

export async function show(
  { connect, output }: Context,
  { owner, slug, ...which }: PromptAddress,
): Promise<void> {
  const client = await connect();
  const prompt = await client.prompts.get({ owner, slug, query: which });
  const { version } = prompt;
  const authorOf = output.isJson
    ? undefined
    : await authorsOf(client, { owner, slug }, version ? [version] : []);
  output.result(prompt, () => asText(prompt, (version && authorOf?.(version)) ?? "", output));
}

function asText(prompt: Prompt, author: string, output: Output): string {
  const { bold, dim } = output.colors;
  const { version } = prompt;
  const head = [`${bold(cell(prompt.ref))}  ${cell(prompt.title)}`, cell(prompt.summary ?? "")];
  const parts = [
    head.filter(Boolean).join("\n"),
    output.fields(Object.entries(about(prompt, author, output)).filter(([, value]) => value !== "")),
    section("variables", version?.variables.map(variableRow) ?? [], output),
    section(
      "settings",
      Object.entries(version?.config ?? {}).map(([name, value]) => [cell(name), cell(JSON.stringify(value))]),
      output,
    ),
    section(
      "files",
      version?.files.map(({ path, size, mode }) => [
        cell(path),
        sizeOf(size),
        mode === "100755" ? dim("executable") : "",
      ]) ?? [],
      output,
    ),
  ];
  return parts.filter(Boolean).join("\n\n");
}

function about(prompt: Prompt, author: string, output: Output): Record<string, string> {
  const { version, counts, status } = prompt;
  return {
    address: cell(prompt.url),
    kind: `${prompt.kind}${version ? `, in ${cell(version.entry)}` : ""}`,
    visibility: `${prompt.visibility}${status === "draft" ? ", a draft" : ""}`,
    tags: cell(prompt.tags.join(", ")),
    license: cell(prompt.license ?? "none: all rights reserved"),
    latest: prompt.latestVersion === null ? "none" : String(prompt.latestVersion),
    ...(prompt.forkedFrom && {
      "forked from": cell(`${prompt.forkedFrom.ref}@${prompt.forkedFrom.versionNumber}`),
    }),
    labels: cell(
      Object.entries(prompt.labels)
        .map(([name, n]) => `${name} → ${n}`)
        .join(", "),
    ),
    ...(version && { shown: versionText(version, author, output) }),
    counts: Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => counted(count, wordsOf(name)))
      .join(", "),
    updated: output.moment(prompt.updatedAt),
  };
}

const versionText = (
  { n, createdAt, message, tokenEstimate, origin }: Version,
  author: string,
  { moment }: Output,
): string => {
  const said = message ? `: ${cell(message)}` : "";
  const from = originOf(origin);
  return `version ${n}${from && ` ${from}`} of ${author}, ${moment(createdAt)}, about ${tokenEstimate} tokens${said}`;
};

const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function section(title: string, rows: readonly string[][], { colors: { bold } }: Output): string {
  if (rows.length === 0) return "";
  const indented = rows.map(([first = "", ...others]) => [`  ${first}`, ...others]);
  return `${bold(title)}\n${printTable(indented, Number.POSITIVE_INFINITY)}`;
}

function variableRow({ name, type, required, default: value, options, description }: Variable): string[] {
  const fallback = value === null ? (required ? "required" : "optional") : `default ${JSON.stringify(value)}`;
  const choice = options ? `one of ${options.join(", ")}` : "";
  return [name, type, fallback, choice, description ?? ""].map(cell);
}
