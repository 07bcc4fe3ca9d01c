import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../packages/server/test/crash/until.ts";
import { png } from "../../packages/server/test/media.ts";
import { codeOf } from "../../packages/server/test/requests.ts";
import { judge } from "./judge.ts";
import { bytesOf, check, formOf, type Scene } from "./scene.ts";

const kills = Number(process.env["KILLS"] ?? 10);

/** Where a request of a method is stopped: while the store reads it, or before its answer arrives. */
interface Point {
  method: string;
  nth: number;
  at: "half" | "answered";
}

const steps: [step: string, point: Point][] = [
  ["while the store takes an upload", { method: "PUT", nth: 1, at: "half" }],
  ["before an answer says that the store has an upload", { method: "PUT", nth: 1, at: "answered" }],
  ["while the store takes the print of a picture", { method: "PUT", nth: 2, at: "half" }],
  ["before an answer says that the store has the print", { method: "PUT", nth: 2, at: "answered" }],
  ["before an answer says that the store has deleted a file", { method: "DELETE", nth: 1, at: "answered" }],
];

/** Whoever is killed while bytes come and go: nothing that was acknowledged is lost, and nothing stays that no row names. */
export async function proveKilled(scene: Scene): Promise<void> {
  const kept = await scene.upload(formOf(randomBytes(30_000_000), { purpose: "file" }));
  const isWhole = async () => {
    await scene.settle();
    await judge(scene);
    equal(await scene.digestOfMedia(kept.id), kept.sha256);
  };

  for (const [step, point] of steps)
    for (const who of ["our server", "the store"] as const)
      await check(`${who} is killed ${step}: nothing is lost, and nothing left`, async () => {
        const doomed = await scene.upload(formOf(randomBytes(1_000), { purpose: "file" }));
        await scene.done(`DELETE /media/${doomed.id}`);
        const isReached = stopAt(scene, point);
        const body = formOf(png({ width: 3_000, height: 2_000 }));
        const asked = scene.request("POST /media", { body }).then(codeOf, () => "broken off");
        if (point.method === "DELETE") await scene.pass();
        await until(step, isReached);
        await scene.kill(who);
        if (point.method === "PUT" && point.nth === 1)
          deepEqual(await asked, who === "the store" ? [503, "unavailable"] : "broken off");
        await isWhole();
      });

  await check(
    "the store is killed while it sends a file: that does not seem whole to who reads it",
    async () => {
      scene.wire.answer = async (body) =>
        (async function* () {
          for await (const chunk of body) {
            yield chunk;
            await scene.swift.kill();
          }
        })();
      await rejects(async () => bytesOf((await scene.shown(kept.id)).url), { message: "terminated" });
      scene.wire.reset();
      await scene.swift.start();
      await isWhole();
    },
  );

  const acknowledged = await check(
    `one of the two is killed ${kills} times at any moment: nothing is lost, and nothing left`,
    async () => {
      const ids = new Set<string>();
      for (let nth = 0; nth < kills; nth += 1)
        await storm(scene, nth % 2 === 0 ? "our server" : "the store", ids);
      await isWhole();
      notEqual(ids.size, 0);
      for (const id of ids) equal((await scene.shown(id)).status, "ready");
      return ids.size;
    },
  );
  console.log(`    with ${acknowledged} uploads that were acknowledged`);
}

/** Kills one of the two while six people upload and delete pictures, and notes what they were told that is kept. */
async function storm(scene: Scene, who: "our server" | "the store", ids: Set<string>): Promise<void> {
  const over = new AbortController();
  const work = async (nth: number) => {
    while (!over.signal.aborted) {
      const { status, json } = await scene.request("POST /media", { body: formOf(png({ width: 10 + nth })) });
      if (status !== 201) await delay(20);
      else if (nth % 3 === 0) await scene.request(`DELETE /media/${json.id}`);
      else ids.add(json.id);
    }
  };
  const workers = Array.from({ length: 6 }, (_, nth) => work(nth).catch(() => {}));
  await delay(300 + 700 * Math.random());
  await scene.kill(who);
  over.abort();
  await Promise.all(workers);
}

/** Stops a request at a point for good; gives whether one has come there. */
function stopAt({ wire }: Scene, { method, nth, at }: Point): () => boolean {
  let isReached = false;
  const stop = (): Promise<never> => {
    isReached = true;
    return new Promise(() => {});
  };
  let requests = 0;
  wire.change = (passing) => {
    if (passing.method !== method || (requests += 1) !== nth) return passing;
    if (at === "answered") {
      wire.answer = stop;
      return passing;
    }
    return {
      ...passing,
      body: (async function* () {
        for await (const chunk of passing.body) {
          yield chunk.subarray(0, chunk.length / 2);
          await stop();
        }
      })(),
    };
  };
  return () => isReached;
}
