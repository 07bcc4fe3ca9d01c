import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { shiftClock } from "../../packages/server/src/testing/world.sql.ts";
import { newDataDir, run } from "../../packages/server/test/process.ts";
import { check, placeOf, prefix, type Scene } from "./scene.ts";

/** An export has the bytes of all media, and an import stores them wherever its store is. */
export async function proveMoved(scene: Scene): Promise<void> {
  await check("an export takes all bytes along, and an import stores them in another bucket", async () => {
    // No registry has the table by which this proof turns the clock.
    await scene.database.ask(async (sql) => {
      await shiftClock(sql, 0);
      await sql`drop table turned`;
    });
    const folder = join(scene.folder, "export");
    const exported = await run(["export", folder], scene.env);
    equal(exported.code, 0, exported.stderr);
    await scene.swift.make("copies");
    const { DATABASE_URL: _, ...env } = scene.env;
    const imported = await run(["import", folder], {
      ...env,
      PROMPTREG_DATA_DIR: newDataDir(),
      MEDIA_STORE: placeOf(scene.wire.url, { path: "copies" }),
    });
    equal(imported.code, 0, imported.stderr);
    deepEqual(
      await scene.swift.objects("copies"),
      (await scene.swift.objects()).map(({ name, ...rest }) => ({
        ...rest,
        name: name.replace(`${prefix}/`, ""),
      })),
    );
  });
}
