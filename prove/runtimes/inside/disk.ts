// What holds where there is a disk as well.
import { createClient } from "@promptreg/client";
import { promptDisk } from "@promptreg/client/disk";
import { type Statement, same } from "./check.ts";

/** @param folder is not there yet. */
export const onDisk = (folder: string): Statement => ({
  says: "finds on the disk what an earlier process kept",
  async check({ owner, slug, ...world }) {
    const work: Promise<unknown>[] = [];
    const get = () => {
      const cache = {
        disk: promptDisk(folder),
        waitUntil: (promise: Promise<unknown>) => work.push(promise),
      };
      return createClient({ ...world, cache })
        .prompt(`${owner}/${slug}@1`)
        .get();
    };
    same((await get()).source, "network");
    await Promise.all(work);
    const { source, version } = await get();
    same([source, version], ["disk", 1]);
  },
});
