import { join } from "node:path";
import type { Place } from "@promptreg/core/imports";
import { download, type Web } from "./download.ts";
import { type Gathered, type Gathering, materialOf, SourceError } from "./index.ts";

const maxBytes = 5 * 1024 * 1024;

/**
 * Fetches a file, or an archive.
 * @throws {SourceError}
 */
export async function fetchUrl(
  { url, name }: Extract<Place, { type: "url" }>,
  gathering: Gathering,
  web?: Web,
): Promise<Gathered> {
  const file = join(gathering.folder, "fetched");
  if (!(await download({ url, name, maxBytes, file }, gathering, web)))
    throw new SourceError(`${name} is not there.`);
  // Tools know their files by the folders above, so its path at its server is that of the file.
  const [, ...parts] = name.split("/").filter((part) => !/^\.{0,2}$/.test(part));
  return { material: await materialOf(file, parts.join("/") || "file") };
}
