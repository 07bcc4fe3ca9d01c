// What other nouns use of posts: they import nothing else of this folder.
export { comparable, newPage, type PostFile, readPost, workingOf } from "./file.ts";
export { mediaIn, pathOf, retarget, targetsIn } from "./pictures.ts";
export { readSendable, sendPost, writeFields } from "./push.ts";
export { printPost } from "./write.ts";
