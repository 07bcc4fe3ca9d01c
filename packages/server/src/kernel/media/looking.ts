import type { MediaSite } from "./printed.sql.ts";

/** Who looks, and where addresses begin. */
export const lookingOf = <Who>(caller: Who, { publicUrl, mediaUrl }: MediaSite) => ({
  caller,
  publicUrl,
  mediaUrl,
});
