export { advised, mediaIdsOf, openFile, sendReady } from "./send.ts";
