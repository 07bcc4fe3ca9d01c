import { fileURLToPath } from "node:url";

/** The numbered SQL files. The folder is next to `src` and `dist`. */
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));
