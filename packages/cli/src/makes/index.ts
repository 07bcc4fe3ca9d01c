// What other nouns use of makes: they import nothing else of this folder.
export { type MakeFolder, readMake, sendMake } from "./push.ts";
