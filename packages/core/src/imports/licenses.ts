import { readLicense } from "../content/license.ts";
import { ImportError, type Surroundings } from "./detector.ts";
import { fitText } from "./foreign/names.ts";
import { licenseOf } from "./text/license.ts";

const licenseFile = /(?:^|\/)(?:un)?(?:licen[cs]e|copying)(?:-[\w.-]{1,40}?)?(?:\.(?:md|txt))?$/i;

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** What files say of a folder; without a license if it is not known, or if several differ. */
interface FolderLicense {
  license: string | null;
  path: string;
}

/** The licenses that the files of a source say. Each file is read once. */
export class Licenses {
  readonly #files: ReadonlyMap<string, readonly string[]>;
  readonly #around: Surroundings;
  readonly #read = new Map<string, Promise<FolderLicense>>();

  constructor(around: Surroundings) {
    this.#around = around;
    this.#files = Map.groupBy(
      around.paths.filter((path) => licenseFile.test(path)),
      folderOf,
    );
  }

  /**
   * The license of a prompt, as an SPDX expression, and the file that says it if the prompt itself does not. `stated` is what the
   * prompt says: if these are other words, only a file beside it can say what they mean.
   */
  async of(stated: string | null, prompt: string) {
    const read = stated === null ? null : readLicense(stated);
    if (read !== null && "license" in read) return { license: read.license, licenseFrom: null, warnings: [] };
    const nearest = await this.#nearest(folderOf(prompt));
    const isSaid =
      nearest !== null &&
      nearest.license !== null &&
      (stated === null || folderOf(nearest.path) === folderOf(prompt));
    if (isSaid) return { license: nearest.license, licenseFrom: nearest.path, warnings: [] };
    const warnings =
      stated === null ? [] : [`The license is left out: "${fitText(stated, 60)}" is no SPDX expression.`];
    return { license: null, licenseFrom: null, warnings };
  }

  /** A file further up says nothing of a folder that has its own, even if nobody knows it. */
  async #nearest(folder: string): Promise<FolderLicense | null> {
    for (let at = folder; ; at = folderOf(at)) {
      const paths = this.#files.get(at);
      if (paths !== undefined) {
        const known = this.#read.get(at) ?? this.#readAll(paths);
        this.#read.set(at, known);
        return known;
      }
      if (at === "") return null;
    }
  }

  async #readAll(paths: readonly string[]): Promise<FolderLicense> {
    const licenses = new Set<string | null>();
    for (const path of paths.slice(0, 10)) licenses.add(await this.#readOne(path));
    const [license = null, ...others] = licenses;
    return { license: others.length === 0 ? license : null, path: paths[0] ?? "" };
  }

  async #readOne(path: string): Promise<string | null> {
    try {
      const text = await this.#around.read(path);
      return text === null ? null : licenseOf(text);
    } catch (error) {
      // It cannot be unpacked.
      if (error instanceof ImportError) return null;
      throw error;
    }
  }
}
