import { join } from "node:path";
import { FolderStore } from "./folder-store.ts";
import { type S3Config, S3Store } from "./s3-store.ts";
import type { Store } from "./store.ts";

/** The store of a configuration: a bucket, or a folder of the data folder. */
export const openStore = ({
  mediaStore,
  dataDir,
}: {
  mediaStore: S3Config | null;
  dataDir: string;
}): Store =>
  mediaStore === null
    ? new FolderStore(join(dataDir, "media"))
    : new S3Store(mediaStore, join(dataDir, "incoming"));
