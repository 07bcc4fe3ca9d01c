// For runtimes that have a command line and load modules as they are: `main.ts <world> <folder>`.
import { checkAll } from "./check.ts";
import { onDisk } from "./disk.ts";
import { statements } from "./statements.ts";

const [world = "", folder = ""] = process.argv.slice(2);
console.log(JSON.stringify(await checkAll([...statements, onDisk(folder)], JSON.parse(world))));
