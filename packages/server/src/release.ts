import { createRequire } from "node:module";

// By name, since a file lies deeper in the sources than in what is built of them.
const manifest = createRequire(import.meta.url)("@promptreg/server/package.json") as { version: string };

/** The release that this program is, such as `0.1.0`; in a checkout, the last one that was made. */
export const release = manifest.version;
