import { deepEqual, equal, rejects } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { until } from "../../packages/server/test/crash/until.ts";
import { png } from "../../packages/server/test/media.ts";
import { codeOf } from "../../packages/server/test/requests.ts";
import { judge } from "./judge.ts";
import { bytesOf, check, formOf, type Scene } from "./scene.ts";
import type { Passing } from "./wire.ts";

type Change = (passing: Passing) => Passing;

const withHeader = (passing: Passing, name: string, change: (value: string) => string): Passing => {
  const at = passing.headers.findIndex((one, nth) => nth % 2 === 0 && one.toLowerCase() === name) + 1;
  return { ...passing, headers: passing.headers.with(at, change(passing.headers[at] ?? "")) };
};
/** With another last letter: of a key, a digest or a time. */
const another = (text: string) => text.replace(/.(?=Z?$)/, (letter) => (letter === "0" ? "1" : "0"));
const elsewhere: Change = (it) => ({ ...it, path: another(it.path) });

async function* flipped(body: AsyncIterable<Buffer>) {
  let isFirst = true;
  for await (const chunk of body) {
    if (isFirst) chunk.writeUInt8(chunk.readUInt8(0) ^ 1);
    isFirst = false;
    yield chunk;
  }
}

async function* shortened(body: AsyncIterable<Buffer>) {
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    yield last;
    last = chunk;
  }
  yield last.subarray(0, -1);
}

const refused = "403 SignatureDoesNotMatch";
/** What somebody on the way can do to an upload, and what the store says to it. */
const tamperings: [what: string, change: Change, said: string][] = [
  ["another path", elsewhere, refused],
  ["another query", (it) => ({ ...it, path: `${it.path}?a=b` }), refused],
  ["another host", (it) => withHeader(it, "host", () => "elsewhere"), refused],
  ["another time", (it) => withHeader(it, "x-amz-date", another), refused],
  ["another name", (it) => withHeader(it, "x-amz-meta-key", another), refused],
  ["another digest", (it) => withHeader(it, "x-amz-content-sha256", another), refused],
  ["no digest", (it) => withHeader(it, "x-amz-content-sha256", () => "UNSIGNED-PAYLOAD"), refused],
  [
    "a header that was not signed",
    (it) => ({ ...it, headers: [...it.headers, "x-amz-acl", "public-read"] }),
    "403 AccessDenied",
  ],
  ["another byte", (it) => ({ ...it, body: flipped(it.body) }), "400 BadDigest"],
  [
    "a byte less",
    (it) => ({
      ...withHeader(it, "content-length", (length) => `${Number(length) - 1}`),
      body: shortened(it.body),
    }),
    "400 BadDigest",
  ],
];

/** What somebody changes between our server and the store reaches neither the store nor who reads. */
export async function proveTampered(scene: Scene): Promise<void> {
  await proveUploads(scene);
  await proveReads(scene);

  await check("a deletion with another path deletes nothing, and is done again", async () => {
    const { id } = await uploadFile(scene);
    const { length } = await scene.swift.objects();
    await scene.done(`DELETE /media/${id}`);
    await changing(scene, { method: "DELETE", change: elsewhere }, async () => {
      await scene.pass();
      await until("a deletion", () => scene.wire.answers.includes(`DELETE ${refused}`));
    });
    equal((await scene.swift.objects()).length, length);
    await scene.settle();
    await judge(scene);
  });
}

async function proveUploads(scene: Scene): Promise<void> {
  const before = await scene.swift.objects();
  for (const [what, change, said] of tamperings)
    await check(`an upload with ${what}: the store says ${said}, and we 503`, async () => {
      const body = formOf(randomBytes(100_000), { purpose: "file" });
      const answers = await changing(scene, { method: "PUT", change }, async () =>
        deepEqual(codeOf(await scene.request("POST /media", { body })), [503, "unavailable"]),
      );
      deepEqual(answers, [`PUT ${said}`]);
      deepEqual(await scene.swift.objects(), before);
    });

  await check("a picture whose print was changed is printed again", async () => {
    let puts = 0;
    const change: Change = (it) => ((puts += 1) === 2 ? { ...it, body: flipped(it.body) } : it);
    let id = "";
    await changing(scene, { method: "PUT", change }, async () => {
      ({ id } = await scene.done("POST /media", formOf(png())));
      await until("its print to be refused", () => scene.wire.answers.includes("PUT 400 BadDigest"));
    });
    await scene.settle();
    equal(await scene.digestOfMedia(id), (await scene.shown(id)).sha256);
    await judge(scene);
  });
}

async function proveReads(scene: Scene): Promise<void> {
  const [file, other] = [await uploadFile(scene), await uploadFile(scene)];
  const statusOf = async ({ id }: { id: string }, headers: Record<string, string> = {}) =>
    (await fetch((await scene.shown(id)).url, { headers })).status;

  await check(
    "a read with another path, or one that was signed for another file: we answer 503",
    async () => {
      let signed: Passing | undefined;
      await changing(scene, { method: "GET", change: (it) => (signed = it) }, () => statusOf(other));
      const replayed: Change = (it) => ({ ...it, path: signed?.path ?? "", headers: signed?.headers ?? [] });
      for (const [change, said] of [
        [elsewhere, `GET ${refused}`],
        [replayed, "GET 200"],
      ] as const)
        deepEqual(
          await changing(scene, { method: "GET", change }, async () => equal(await statusOf(file), 503)),
          [said],
        );
    },
  );
  await check("a read with another range, which nobody signs: we answer 503", async () => {
    const change: Change = (it) => withHeader(it, "range", () => "bytes=1-9");
    const status = () => statusOf(file, { range: "bytes=0-8" });
    deepEqual(await changing(scene, { method: "GET", change }, async () => equal(await status(), 503)), [
      "GET 206",
    ]);
    equal(await status(), 206);
  });
  await check("bytes that were changed on their way to us do not seem whole to who reads them", async () => {
    scene.wire.answer = async (body) => flipped(body);
    await rejects(async () => bytesOf((await scene.shown(file.id)).url), { message: "terminated" });
    scene.wire.reset();
    equal(await scene.digestOfMedia(file.id), file.sha256);
  });
}

const uploadFile = (scene: Scene) => scene.upload(formOf(randomBytes(300_000), { purpose: "file" }));

/** Changes requests of a method while something is done, and gives what the store answered them. */
async function changing(
  { wire }: Scene,
  { method, change }: { method: string; change: Change },
  act: () => Promise<unknown>,
): Promise<string[]> {
  wire.answers.length = 0;
  wire.change = (passing) => (passing.method === method ? change(passing) : passing);
  await act().finally(wire.reset);
  return wire.answers.filter((answer) => answer.startsWith(method));
}
