// Keeps media in a store that checks signatures as S3 does: OpenStack Swift, of Debian's package python3-swift. What goes in comes out. A server
// that the store does not believe keeps nothing. Nothing that was changed on its way gets through. And whoever is killed, at last KILLS times
// at any moment, nothing is lost, and nothing is left.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "../../packages/server/test/process.ts";
import { proveKilled } from "./killed.ts";
import { proveMoved } from "./moved.ts";
import { proveRefused } from "./refused.ts";
import { Scene } from "./scene.ts";
import { proveServed } from "./served.ts";
import { proveTampered } from "./tampered.ts";

const folder = mkdtempSync(join(tmpdir(), "promptreg-object-store-"));
const closers: (() => unknown)[] = [cleanUp, () => rmSync(folder, { recursive: true, force: true })];
const end = async () => {
  for (const close of closers.splice(0)) await close();
};
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void end().finally(() => process.exit(130)));

let scene: Scene | undefined;
try {
  scene = await Scene.set(folder, closers);
  for (const prove of [proveServed, proveRefused, proveTampered, proveKilled, proveMoved]) await prove(scene);
} catch (error) {
  console.log(error, `\n${scene?.server.output().slice(-2_000) ?? ""}`);
  process.exitCode = 1;
} finally {
  await end();
}
