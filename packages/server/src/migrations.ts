import { fileURLToPath } from "node:url";

/** The numbered SQL files; they lie beside `src` and `dist` alike. */
export const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));
