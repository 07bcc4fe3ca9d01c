import type { SuggestedField } from "@promptreg/core";
import type { Context } from "../../settings/context.ts";
import { cell, countOf } from "../../terminal/text.ts";
import { editManifest } from "../local/edit-manifest.ts";
import { type Manifest, readFields } from "../local/manifest.ts";
import { type LocalPrompt, readPrompt } from "../local/read-prompt.ts";
import type { Selection } from "../local/selection.ts";
import type { PushOptions, Suggested } from "./types.ts";

/** Makes suggestions for the folders of a push, shows them, and takes them over after a yes. */
export interface Suggester {
  /** Writes into the manifests what they lack. */
  fillIn(folders: readonly string[]): Promise<void>;
  /** The message of a commit. */
  messageOf(this: void, local: LocalPrompt, ref: string): Promise<string | undefined>;
  /** Asks about the messages, if there are any. */
  confirmMessages(): Promise<void>;
  /** What was suggested for a folder. */
  takenOver(folder: string): Suggested | undefined;
}

/** What a manifest can lack. Null and an empty list were written by somebody. */
const fillable = ["title", "summary", "tags"] as const;

/** A client of its own: whoever has no suggestions left for today is told so, and does not wait for tomorrow. */
export async function createSuggester(
  { connect, output, confirm }: Context,
  { selection, options }: { selection: Selection; options: PushOptions },
): Promise<Suggester> {
  const client = await connect();
  const suggested = new Map<string, Suggested>();
  const messages: string[] = [];

  const ask = async (
    folder: string,
    body: { files: LocalPrompt["files"]; kind?: Manifest["kind"]; prompt?: string; fields: SuggestedField[] },
  ): Promise<Suggested> => {
    const { suggestions, provider, model } = await client.suggestions.create({ body });
    const all = { ...suggested.get(folder), ...suggestions, provider, model };
    suggested.set(folder, all);
    return all;
  };

  const show = (folders: readonly string[], fields: readonly SuggestedField[]) =>
    output.draw(({ colors: { bold, dim } }) =>
      folders
        .flatMap((folder) => {
          const one = suggested.get(folder);
          const made = one?.model ?? "rules of the server";
          return [
            `${bold(cell(folder))}  ${dim(`suggested by ${cell(made)}`)}`,
            ...fields.flatMap((field) => {
              const value = one?.[field];
              return value === undefined ? [] : [`  ${field.padEnd(8)} ${cell([value].flat().join(", "))}`];
            }),
          ];
        })
        .join("\n"),
    );

  return {
    async fillIn(folders) {
      const filled: [folder: string, fields: Partial<Manifest>][] = [];
      for (const folder of folders) {
        const written = readFields(folder);
        const fields = fillable.filter((field) => written[field] === undefined);
        if (fields.length === 0) continue;
        // Until there is a title, any will do.
        const local = await readPrompt(folder, { selection, given: { title: "?" } });
        // What is a secret is sent to nobody, to be described neither.
        await (await import("../local/rules.ts")).requireRules(local, options);
        const { files, manifest } = local;
        const { title, summary, tags } = await ask(folder, { files, kind: manifest.kind, fields });
        const found = Object.entries({ title, summary, tags }).filter(([, value]) => value !== undefined);
        if (found.length > 0) filled.push([folder, Object.fromEntries(found)]);
      }
      const [first, ...more] = filled;
      if (first === undefined) return;
      show(
        filled.map(([folder]) => folder),
        fillable,
      );
      await confirm(
        more.length === 0
          ? `Write this into ${first[0]}/promptreg.json?`
          : `Write this into ${countOf(filled.length, "manifest")}?`,
      );
      for (const [folder, fields] of filled) await editManifest(folder, fields);
    },

    async messageOf({ folder, files }, prompt) {
      const { message } = await ask(folder, { files, prompt, fields: ["message"] });
      if (message !== undefined) messages.push(folder);
      return message;
    },

    async confirmMessages() {
      const [first] = messages;
      if (first === undefined) return;
      show(messages, ["message"]);
      await confirm(`Commit with ${messages.length === 1 ? "this message" : "these messages"}?`);
    },

    takenOver: (folder) => suggested.get(folder),
  };
}
