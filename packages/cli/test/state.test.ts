import { expect, test } from "vitest";
import { readPrompt } from "../src/folders/local/read-prompt.ts";
import { stateOf, writeState } from "../src/folders/local/state.ts";
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
