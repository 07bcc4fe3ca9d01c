import type { Io, Stream } from "./io.ts";

/** NO_COLOR (no-color.org) is heard first, then FORCE_COLOR; without either, terminals are coloured. */
export function isColored({ isTTY = false }: Stream, { NO_COLOR, FORCE_COLOR, TERM }: Io["env"]): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTTY && TERM !== "dumb";
}
