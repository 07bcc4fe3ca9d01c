import { type Expansion, firstOf } from "./safety.ts";

/** Files that VS Code attaches when it reads a prompt file or instructions. */
export const hashFiles: Expansion = {
  find: (text) => firstOf(text, /(?<!\w)#file:\S*/g),
  does: "reads the files that the text names after #file:",
};

/** It attaches what a link leads to too, if that is a file of the workspace. Of an image it does not, but what looks like one may be a link. */
export const linkedFiles: Expansion = {
  find: (text) => firstOf(text, /\]\(((?:(?!\]\()[^)\n])+)\)/g, ([, target = ""]) => isFile(target)),
  does: "reads the files that the text links to",
};

/** A word alone stands for a target, such as in `[text](url)`. */
const isFile = (target: string): boolean =>
  !/^(?:https?:\/|mailto:[^/\\]*$|#)/i.test(target) && /[/\\]|\.[\p{L}\p{N}]/u.test(target);
