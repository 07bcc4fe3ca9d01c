export { addVoteCommand } from "./grammar.ts";
