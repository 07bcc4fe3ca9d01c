import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, expect, test } from "vitest";
import { cli } from "../../test/registry.ts";

const folder = await mkdtemp(join(tmpdir(), "promptreg-upload-"));
afterAll(() => rm(folder, { recursive: true }));
const [one, two] = [join(folder, "one.png"), join(folder, "two.png")];
await Promise.all([one, two].map((file) => writeFile(file, "x")));

const id = (last: string) => `med_0000000000000000000000000${last}`;
const ready = { id: id("1"), kind: "image", status: "ready", url: "https://media.test/1" };
/** Uploads, with these answers in turn. */
const upload = (answers: Response[], args: string[], around = {}) =>
  cli(["media", "upload", ...args], {
    fetch: async () => answers.shift() ?? Response.error(),
    env: { PROMPTREG_URL: "https://promptreg.test", PROMPTREG_TOKEN: "prt_a-token-for-tests" },
    ...around,
  });
const sent = (media: object) => Response.json(media, { status: 201, headers: { "x-request-id": "req-1" } });
const unseen = () =>
  new Response(null, {
    status: 204,
    headers: { location: `/api/v1/media/${id("2")}`, "x-request-id": "req-2" },
  });

test("a table names what was uploaded, by the id alone where the token may not read", async () => {
  const { stdout, exitCode } = await upload([sent(ready), unseen()], [one, two]);
  expect([exitCode, stdout]).toEqual([
    0,
    `${id("1")}\timage\tready\thttps://media.test/1\n${id("2")}\t\t\t\n`,
  ]);
  const wide = await upload([sent(ready)], [one], { isTTY: true, columns: 200 });
  expect(stripVTControlCharacters(wide.stdout).split("\n")[0]?.split(/ +/)).toEqual([
    "id",
    "kind",
    "status",
    "url",
  ]);
});

test("JSON is an object for one file, and a list for two", async () => {
  expect(JSON.parse((await upload([sent(ready)], [one, "--json"])).stdout)).toEqual(ready);
  expect(JSON.parse((await upload([sent(ready), unseen()], [one, two, "--json"])).stdout)).toEqual([
    ready,
    { id: id("2") },
  ]);
});

test("what is still processed is asked for until it is ready, unless nobody waits", async () => {
  const waiting = { ...ready, status: "processing", url: null };
  const asked = await upload([sent(waiting), sent(waiting), sent(ready)], [one, "--json"]);
  expect(JSON.parse(asked.stdout)).toEqual(ready);
  const { stdout } = await upload([sent(waiting)], [one, "--json", "--no-wait"]);
  expect(JSON.parse(stdout)).toEqual(waiting);
});
