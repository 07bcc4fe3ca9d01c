import type { MediaSite } from "./printed.sql.ts";

/** Where addresses begin. */
export const siteOf = ({ publicUrl, mediaUrl, isForMembers }: MediaSite): MediaSite => ({
  publicUrl,
  mediaUrl,
  isForMembers,
});

/** Who looks, and where addresses begin. */
export const lookingOf = <Who>(caller: Who, site: MediaSite) => ({ caller, ...siteOf(site) });
