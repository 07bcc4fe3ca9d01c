import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readPrompt } from "../src/folders/local/read-prompt.ts";
import { readState, stateOf, writeState } from "../src/folders/local/state.ts";
import { git, makeHome } from "./folders.ts";

const home = await makeHome();
const origin = "https://registry.test";

test("whether a state counts belongs to one reading of the folder, and to no other", async () => {
  const folder = await home.prompt(home.place(), "ada/reply");
  const state = { id: "prm_1", ref: "ada/reply", version: 1, about: {} };
  await writeState({ folder, isStateTrusted: true }, origin, state);
  git(folder, "init", "--quiet");
  git(folder, "add", "--force", ".promptreg-state/state.json");
  const committed = await readPrompt(folder);
  git(folder, "rm", "--quiet", "--cached", "-r", ".promptreg-state");
  const own = await readPrompt(folder);
  expect(await stateOf(committed, origin, state)).toBeNull();
  expect(await stateOf(own, origin, state)).toEqual(state);
});

test("a state that says something else than a push writes counts for nothing", async () => {
  const folder = await home.prompt(home.place(), "ada/reply");
  const place = { folder, isStateTrusted: true };
  const good = {
    id: "prm_1",
    ref: "ada/reply",
    version: 2,
    from: [1],
    source: { version: 3, from: [1, 2] },
    about: { tags: ["a"] },
  };
  await mkdir(join(folder, ".promptreg-state"));
  const read = async (value: unknown) => {
    await writeFile(join(folder, ".promptreg-state/state.json"), JSON.stringify({ [origin]: value }));
    return readState(place, origin);
  };
  for (const state of [good, { ...good, from: undefined, source: undefined, about: {} }])
    expect(await read(state)).toEqual(JSON.parse(JSON.stringify(state)));
  for (const change of [
    { id: 1 },
    { ref: null },
    { version: 0 },
    { version: 1.5 },
    { from: 1 },
    { from: [0] },
    { from: [1, "2"] },
    { about: [] },
    { about: { tags: "a" } },
    { about: { tags: ["a", 1] } },
    { source: [] },
    { source: {} },
    { source: { version: 0 } },
    { source: { version: 1, from: [1, -1] } },
  ])
    expect([change, await read({ ...good, ...change })]).toEqual([change, null]);
  expect(await read(null)).toBeNull();
  expect(await readState(place, "https://other.test")).toBeNull();
});
