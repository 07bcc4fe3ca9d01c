import type { Format } from "./format.ts";
import { jsonFile } from "./text.ts";

/** What `vscode:chat-skill/install?url=…` reads: where each file of a skill is, and where it goes. */
export const vscodeSkillManifest: Format = {
  reads: "files",
  write({ name, url, version, files }) {
    const texts = files.filter(({ content }) => typeof content === "string");
    const addresses = texts.map(({ path }) => ({
      source: `${url}/raw/${path.split("/").map(encodeURIComponent).join("/")}?version=${version.n}`,
      destination: path,
    }));
    const areLost = texts.length < files.length;
    return {
      files: [jsonFile(`${name}.json`, { name, files: addresses })],
      warnings: areLost ? ["Binary files are left out. The registry gives single files as text alone."] : [],
    };
  },
};
