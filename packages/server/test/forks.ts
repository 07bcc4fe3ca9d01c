import { expect } from "vitest";
import type { Person } from "./harness.ts";

/** Files by their path. Those that end in `!` are executable. */
export type Files = Record<string, string>;

const inputsOf = (files: Files) =>
  Object.entries(files).map(([path, content]) => ({
    path: path.replace("!", ""),
    content,
    ...(path.endsWith("!") && { mode: "100755" }),
  }));

/** Sends a request that must succeed. */
// oxlint-disable-next-line typescript/no-explicit-any -- as of every answer in tests
export async function done(who: Person, route: string, body?: object): Promise<any> {
  const { status, text, json } = await who.request(route, { body });
  expect([route, status < 300 || text]).toEqual([route, true]);
  return json;
}

/** Makes a public prompt of somebody's with these files. */
export const publishFiles = (who: Person, slug: string, files: Files, fields: object = {}) =>
  done(who, "POST /prompts", {
    kind: "text",
    slug,
    title: slug,
    visibility: "public",
    files: inputsOf(files),
    ...fields,
  });

export const commitFiles = (who: Person, ref: string, files: Files) =>
  done(who, `POST /prompts/${ref}/versions`, { files: inputsOf(files) });

/** The files of the latest version of a prompt. */
export async function filesIn(who: Person, ref: string): Promise<Files> {
  const { version } = await done(who, `GET /prompts/${ref}`);
  const files: { path: string; mode: string; content: string }[] = version.files;
  return Object.fromEntries(
    files.map(({ path, mode, content }) => [mode === "100755" ? `${path}!` : path, content]),
  );
}

/** Forks a prompt, commits files to the fork, and proposes them; gives the address of the fork and the number. */
export async function proposeFiles(
  who: Person,
  ref: string,
  files: Files,
  fork: object = {},
): Promise<{ fork: string; n: number }> {
  const { ref: own } = await done(who, `POST /prompts/${ref}/forks`, fork);
  await commitFiles(who, own, files);
  const { n } = await done(who, `POST /prompts/${ref}/change-requests`, {
    source: { ref: own },
    title: "Better",
  });
  return { fork: own, n };
}
