import { join } from "node:path";
import { looksLikeArchive } from "@promptreg/core/archives";
import type { Place } from "@promptreg/core/imports";
import { download, type Web } from "./download.ts";
import { type Gathered, type Gathering, SourceError } from "./index.ts";

const maxBytes = 200 * 1024 * 1024;

/**
 * Fetches the archive of a public repository, without git.
 * @throws {SourceError}
 */
export async function fetchRepository(
  { name, archives }: Extract<Place, { type: "repository" }>,
  gathering: Gathering,
  web?: Web,
): Promise<Gathered> {
  const file = join(gathering.folder, "fetched");
  for (const { url, ref, path } of archives) {
    if (!(await download({ url, name, maxBytes, file }, gathering, web))) continue;
    if (!(await looksLikeArchive(file))) throw new SourceError(`${name} did not come as an archive.`);
    return {
      material: { type: "archive", file, path, stripRoot: true },
      found: { ...(ref !== null && { ref }), ...(path !== "" && { path }) },
    };
  }
  throw new SourceError(`${name} is not there, has no such branch, or is not public.`);
}
