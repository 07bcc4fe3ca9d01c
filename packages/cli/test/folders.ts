import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

type Files = Record<string, string | Uint8Array>;

/** Writes files below a folder. */
export async function writeAll(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Gives a test file a place on the disk, which is gone when its tests are done. */
export async function makeHome() {
  const home = await mkdtemp(join(tmpdir(), "promptreg-"));
  afterAll(() => rm(home, { recursive: true }));
  let count = 0;
  return {
    /** A place where nothing is yet. */
    place: () => join(home, String((count += 1))),
    /** A folder with these files. */
    folderOf: async (files: Files): Promise<string> => {
      const folder = join(home, String((count += 1)));
      await writeAll(folder, files);
      return folder;
    },
    /** Writes a prompt folder; `about` goes into its manifest. */
    async prompt(
      folder: string,
      slug: string,
      files: Files = { "PROMPT.md": "Hello {{name}}\n" },
      about = {},
    ) {
      const manifest = { prompt: slug, kind: "text", title: `About ${slug}`, ...about };
      await writeAll(folder, { ...files, "promptreg.json": JSON.stringify(manifest) });
      return folder;
    },
  };
}

/** Runs git as its user Ada, whose own settings have no say. */
export const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
  });

/** What is in a folder, without its state: by path the bytes, as text for comparing, and whether it can be executed. */
export async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  const isState = ({ parentPath }: { parentPath: string }) => parentPath.endsWith(".promptreg-state");
  for (const entry of entries.filter((entry) => entry.isFile() && !isState(entry))) {
    const place = join(entry.parentPath, entry.name);
    const { mode } = await stat(place);
    const bytes = (await readFile(place)).toString("latin1");
    files[place.slice(folder.length + 1)] = `${mode & 0o100 ? "x " : ""}${bytes}`;
  }
  return files;
}
