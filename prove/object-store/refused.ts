import { deepEqual, equal } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { until } from "../../packages/server/test/crash/until.ts";
import { png } from "../../packages/server/test/media.ts";
import { run } from "../../packages/server/test/process.ts";
import { codeOf } from "../../packages/server/test/requests.ts";
import { judge } from "./judge.ts";
import { check, formOf, placeOf, type Scene } from "./scene.ts";
import { credentials } from "./swift.ts";

/** Has a process of Node believe that it is twenty minutes ago. */
const slowClock = `
  const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) { super(...(given.length > 0 ? given : [Real.now() - 1_200_000])); }
    static now() { return Real.now() - 1_200_000; }
  };`;

interface Fault {
  what: string;
  env?: Record<string, string>;
  region?: string;
  /** What the store says to each request. */
  said: string;
}
const faults: Fault[] = [
  { what: "another secret", env: { AWS_SECRET_ACCESS_KEY: "A-secret" }, said: "403 SignatureDoesNotMatch" },
  { what: "an unknown key", env: { AWS_ACCESS_KEY_ID: "test:nobody" }, said: "403 SignatureDoesNotMatch" },
  { what: "another region", region: "eu-west-1", said: "400 AuthorizationHeaderMalformed" },
  {
    what: "a clock that is twenty minutes slow",
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowClock)}` },
    said: "403 RequestTimeTooSkewed",
  },
];

/** A server that the store does not believe keeps nothing of what it is sent, loses nothing, and goes on once it is believed. */
export async function proveRefused(scene: Scene): Promise<void> {
  for (const fault of faults) await proveFault(scene, fault);

  await check("a prefix with characters that would have to be encoded is refused at the start", async () => {
    for (const path of ["media/some prefix", "media/with+plus", "media/per%20cent", "media/ключ"]) {
      const env = { ...scene.env, MEDIA_STORE: placeOf(scene.swift.url, { path }) };
      const { code, stderr } = await run(["serve"], env);
      deepEqual([path, code, stderr.includes("MEDIA_STORE must have the form")], [path, 1, true]);
    }
  });
}

async function proveFault(scene: Scene, { what, env = {}, region, said }: Fault): Promise<void> {
  const file = await scene.upload(formOf(randomBytes(1_000), { purpose: "file" }));
  const doomed = await scene.upload(formOf(png()));
  const before = await scene.swift.objects();
  await scene.server.stop();
  // Nothing in between, which could wait for all of an upload where the store does not.
  await scene.start({ MEDIA_STORE: placeOf(scene.swift.url, region ? { region } : {}), ...env });
  const { server } = scene;
  const hasSaid = (text: string) => server.output().includes(text);

  await check(`with ${what}, a server says at its start that the store answers ${said}`, () =>
    until("a warning", () => hasSaid(`the store answered GET with ${said}`)),
  );
  await check("  it is ready all the same, and answers 503 to uploads, small and large", async () => {
    equal((await fetch(`${server.url}/readyz`)).status, 200);
    for (const body of [formOf(png()), formOf(randomBytes(20_000_000), { purpose: "file" })])
      deepEqual(codeOf(await scene.request("POST /media", { body })), [503, "unavailable"]);
    equal(hasSaid(`the store answered PUT with ${said}`), true);
  });
  await check("  it answers 503 to who wants bytes, and 304 to who has them", async () => {
    const { url } = await scene.shown(file.id);
    const asked = await fetch(url, { headers: { "if-none-match": `"${file.sha256}"` } });
    deepEqual([(await fetch(url)).status, asked.status], [503, 304]);
  });
  await check("  nothing new is in the store, and what is deleted is still there", async () => {
    await scene.done(`DELETE /media/${doomed.id}`);
    await scene.pass();
    await until("a sweep", () => hasSaid(`the store answered DELETE with ${said}`));
    deepEqual(await scene.swift.objects(), before);
  });
  await check("  its log quotes no secret, and nothing that was signed", async () => {
    const { AWS_SECRET_ACCESS_KEY } = { ...credentials, ...env };
    deepEqual([AWS_SECRET_ACCESS_KEY, "Signature=", "Credential="].filter(hasSaid), []);
  });

  await server.stop();
  await scene.start();
  await check("  once the store believes it, all is there that was, and all else goes", async () => {
    await scene.settle();
    await judge(scene);
    equal(await scene.digestOfMedia(file.id), file.sha256);
  });
}
