export { nameOfMedia } from "./name.ts";
export { advised, mediaIdsOf, openFile, sendReady } from "./send.ts";
