export { mediaIdsOf } from "./send.ts";
