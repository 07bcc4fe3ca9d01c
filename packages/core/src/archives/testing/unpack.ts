import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type ArchiveOptions, openArchive } from "../index.ts";

/** Opens bytes as an archive, reads all of it in both ways, and says what reached the disk. */
export async function unpack(bytes: Uint8Array, options: Partial<ArchiveOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-archives-"));
  const scratch = join(folder, "scratch");
  const writtenBytes = async () => {
    const names = await readdir(scratch);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(scratch, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  try {
    await mkdir(scratch);
    await writeFile(join(folder, "archive"), bytes);
    const archive = await openArchive(join(folder, "archive"), { scratch, ...options });
    const texts: Record<string, string> = {};
    for (const { path, size } of archive.files) {
      const chunks: Uint8Array[] = [];
      const streamed = (async () => {
        for await (const chunk of archive.stream(path)) chunks.push(chunk);
      })();
      const [whole, pieces] = await Promise.allSettled([archive.read(path), streamed]);
      const bytes = Buffer.concat(chunks);
      expect(bytes.length).toBeLessThanOrEqual(size);
      expect(pieces.status).toBe(whole.status);
      texts[path] = whole.status === "fulfilled" ? bytes.toString() : (whole.reason as Error).message;
      if (whole.status === "fulfilled") expect(bytes.equals(whole.value)).toBe(true);
    }
    await archive.close();
    const { files, commit, leftOut, root } = archive;
    const refused = archive.refused.map(({ path, reason }) => [path, reason]);
    return { files, commit, leftOut, root, texts, refused, names: await readdir(scratch) };
  } catch (error) {
    throw Object.assign(error as Error, { writtenBytes: await writtenBytes() });
  } finally {
    await rm(folder, { recursive: true });
  }
}
