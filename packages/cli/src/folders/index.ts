// What other nouns use of folders: they import nothing else of this folder.
export { type Manifest, manifestName, readManifest } from "./local/manifest.ts";
export { toInput } from "./local/read-folder.ts";
export { manifestOf } from "./pull/pulled-manifest.ts";
