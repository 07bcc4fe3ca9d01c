// For a page, which is called from outside.
import { checkAll, type World } from "./check.ts";
import { statements } from "./statements.ts";

Object.assign(globalThis, { checkAll: (world: World) => checkAll(statements, world) });
