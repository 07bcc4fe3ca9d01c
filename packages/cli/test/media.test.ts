import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@promptreg/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leanFetch } from "../src/http/fetch.ts";
import { LeanFormData } from "../src/http/web.ts";
import { png } from "../../server/test/media.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
const { baseUrl, token, fetch } = registry;
const folder = await mkdtemp(join(tmpdir(), "promptreg-"));
const picture = join(folder, "cat.png");
const notes = join(folder, "notes.txt");
const client = createClient({ baseUrl, token, fetch });

beforeAll(async () => {
  await writeFile(picture, png());
  await writeFile(notes, "Some notes");
  const files = [{ path: "PROMPT.md", content: "Hello" }];
  await client.prompts.create({ body: { kind: "text", slug: "painter", title: "Painter", files } });
});
afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true });
});

/** Runs a command beside a worker. */
async function beside(args: string[], around = {}) {
  const running = registry.cli(args, around);
  let isOver = false;
  void running.finally(() => (isOver = true));
  await expect.poll(async () => (await registry.deliver(), isOver), { timeout: 20_000 }).toBe(true);
  return running;
}

describe("media", () => {
  test("upload sends files, waits until they are ready, and says where they are", {
    tags: "long",
  }, async () => {
    const { stdout, exitCode } = await beside(["media", "upload", picture, "--alt", "A cat", "--json"]);
    expect(exitCode).toBe(0);
    const media = JSON.parse(stdout);
    expect(media).toMatchObject({ kind: "image", status: "ready", alt: "A cat", filename: "cat.png" });
    const several = await beside(["media", "upload", notes, notes, "--as-file"]);
    expect(several.stdout.match(/med_\w+\tfile\tready\thttps:/g)).toHaveLength(2);
  });

  test("upload goes on after a file that is refused, and says which are there", {
    tags: "long",
  }, async () => {
    const drawing = join(folder, "drawing.svg");
    await writeFile(drawing, "<svg xmlns='http://www.w3.org/2000/svg'/>");
    const { stdout, stderr, exitCode } = await beside([
      "media",
      "upload",
      picture,
      drawing,
      picture,
      "--json",
    ]);
    expect([exitCode, JSON.parse(stdout.slice(0, stdout.lastIndexOf("]") + 1)).length]).toEqual([6, 2]);
    expect(stderr).toContain(`${drawing}: This is not what can be shown`);
    expect(stderr).toContain("use --as-file");
  });

  test("upload can go on without waiting, and says why something is no picture", {
    tags: "long",
  }, async () => {
    const { stdout } = await registry.cli(["media", "upload", picture, "--no-wait", "--json"]);
    expect(JSON.parse(stdout).status).toBe("processing");
    const broken = join(folder, "broken.png");
    await writeFile(broken, png({ rows: 0 }));
    const { exitCode, stderr } = await beside(["media", "upload", broken]);
    expect([exitCode, stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining("was rejected: This is no picture"),
    ]);
    const missing = await registry.cli(["media", "upload", join(folder, "none.png")]);
    expect(missing.stderr).toContain("does not exist");
    expect((await registry.cli(["media", "upload", folder])).stderr).toContain("is no file");
    expect((await registry.cli(["media", "upload", notes])).stderr).toContain("--as-file");
  });

  test("show and delete take an id", { tags: "long" }, async () => {
    const { id } = JSON.parse((await beside(["media", "upload", notes, "--as-file", "--json"])).stdout);
    expect((await registry.cli(["media", "show", id])).stdout).toContain("text/plain");
    const gone = await registry.cli(["media", "delete", id], { answers: [true] });
    expect(gone.asked).toEqual([`Delete the file ${id}, notes.txt?`]);
    expect((await registry.cli(["media", "show", id])).exitCode).not.toBe(0);
    expect((await registry.cli(["media", "show", "col_1"])).stderr).toContain("Write the id of media");
  });

  test("are uploaded for what shows them", { tags: "long" }, async () => {
    const { stdout } = await beside(["example", "add", "ada/painter", "--media", picture, "--json"]);
    const { output, media } = JSON.parse(stdout);
    expect([output, media]).toEqual([null, [expect.objectContaining({ kind: "image" })]]);
    const again = await registry.cli(["example", "add", "ada/painter", "--media", media[0].id, "--json"]);
    expect(JSON.parse(again.stdout).media).toMatchObject([{ id: media[0].id }]);
    expect((await registry.cli(["example", "add", "ada/painter"])).stderr).toContain("or --media");
    const collection = JSON.parse((await registry.cli(["collection", "create", "Cats", "--json"])).stdout);
    const edited = await beside(["collection", "edit", collection.id, "--cover", picture, "--json"]);
    expect(JSON.parse(edited.stdout).cover.kind).toBe("image");
    const bare = await registry.cli(["collection", "edit", collection.id, "--no-cover", "--json"]);
    expect(JSON.parse(bare.stdout).cover).toBe(null);
  });
});

test("the command line's own form arrives as a browser's does", async () => {
  let seen: FormData | undefined;
  const server = createServer((request, response) => {
    const { "content-type": type = "", "content-length": length } = request.headers;
    const whole = new Response(request as never, { headers: { "content-type": type } });
    void whole.formData().then((form) => {
      seen = form;
      response.end(length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const form = new LeanFormData();
  form.append("alt", "Ü\r\n--x");
  form.append("file", new Blob(["content of ", "the file"]), 'a "b"\r\n.txt');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = await leanFetch(url, { method: "POST", body: form });
  expect(Number(await answer.text())).toBe(form.size);
  const file = seen?.get("file") as File;
  expect([seen?.get("alt"), await file.text(), file.name]).toEqual([
    "Ü\r\n--x",
    "content of the file",
    'a "b"\r\n.txt',
  ]);
  server.close();
});
