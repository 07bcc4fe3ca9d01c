import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, expect, test } from "vitest";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
afterAll(() => registry.close());

const example = (command: string, stdin?: string) =>
  registry.cli(["example", ...command.split(" ")], stdin === undefined ? {} : { stdin });

test("example adds an example, lists and shows it, rejects and approves it", async () => {
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  const body = { kind: "text" as const, slug: "reply", title: "Reply", files };
  await createClient({ baseUrl, token, fetch }).prompts.create({ body });
  expect((await example("list ada/reply")).stderr).toBe("There are no examples.\n");
  const added = await example("add ada/reply@1 - --title Parcel", "It is on its way.");
  const [, id = ""] = /^(exm_\w+) is approved\n$/.exec(added.stdout) ?? [];
  expect((await example("list ada/reply")).stdout).toMatch(new RegExp(`${id}\tapproved\t1\tada\tParcel`));
  expect((await example(`show ada/reply ${id}`)).stdout).toContain("It is on its way.");
  expect((await example(`reject ada/reply ${id} --reason Impolite --yes`)).stdout).toBe(
    `${id} is rejected\n`,
  );
  const { items } = JSON.parse((await example("list ada/reply --status rejected --json")).stdout);
  expect(items).toMatchObject([{ id, rejectReason: "Impolite" }]);
  expect((await example(`approve ada/reply ${id} --yes`)).stdout).toBe(`${id} is approved\n`);
});

test("example approve shows what it asks about, and approves nothing else", async () => {
  const bob = await registry.createAccount("bob");
  const author = createClient({ baseUrl, token: bob.token, fetch });
  const reader = createClient({ baseUrl, token, fetch });
  const at = { owner: "ada", slug: "reply" };
  await reader.prompts.update({ ...at, body: { visibility: "public" } });
  const { id } = await author.examples.create({ ...at, body: { output: "Kind words" } });
  const approve = (confirm: (question: string) => Promise<boolean>) =>
    registry.cli(["example", "approve", "ada/reply", id], { confirm });
  const edited = await approve(async () => {
    await author.examples.update({ ...at, id, body: { output: "An advertisement" } });
    return true;
  });
  expect(edited).toMatchObject({
    exitCode: 5,
    stderr: expect.stringMatching(/Kind words[^]*This changed since you read it/),
  });
  expect(await reader.examples.get({ ...at, id })).toMatchObject({ status: "pending" });
  expect(await approve(async () => true)).toMatchObject({ exitCode: 0, stdout: `${id} is approved\n` });
  expect((await example(`vote ${id}`)).stdout).toBe(`${id} has your vote: 1 up, 0 down\n`);
});

test("example add sends what was asked, and with which values", async () => {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-"));
  await writeFile(join(folder, "answer"), "It is on its way.");
  await writeFile(join(folder, "question"), "Where is it?");
  await writeFile(join(folder, "latin1"), Buffer.from("Für Ada", "latin1"));
  const add = (what: string) => example(`add ada/reply ${folder}/${what} --json`, '{"name":"Ada"}');
  const { stdout } = await add(`answer --input ${folder}/question --variables - --model m-1 --note Kind`);
  expect(JSON.parse(stdout)).toMatchObject({
    output: "It is on its way.",
    input: "Where is it?",
    variables: { name: "Ada" },
    model: "m-1",
    note: "Kind",
  });
  for (const what of ["latin1", "none", ""]) expect([what, (await add(what)).exitCode]).toEqual([what, 6]);
  for (const values of ["[]", "null", "7", "{"]) {
    const { exitCode, stderr } = await example(`add ada/reply ${folder}/answer --variables -`, values);
    expect([exitCode, stderr]).toEqual([6, "error: Standard input is not a JSON object.\n"]);
  }
  await rm(folder, { recursive: true });
});

test("example add refuses a label", async () => {
  expect((await example("add ada/reply@latest -", "Hi")).stderr).toContain("by its number");
});
