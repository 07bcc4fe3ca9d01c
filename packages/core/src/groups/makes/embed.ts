/** Who shows what is embedded. */
export const embedProviders = ["youtube", "vimeo", "sketchfab", "soundcloud"] as const;
export type EmbedProvider = (typeof embedProviders)[number];

/** Something on another site that a gallery shows. Both addresses are written anew, from what the sent one names. */
export interface Embed {
  provider: EmbedProvider;
  /** Its page. */
  url: string;
  /** The address for a frame. */
  embedUrl: string;
}

type Found = Omit<Embed, "provider">;
/** What an address of a provider names; null if it names nothing that can be embedded. */
type Reader = (path: string[], query: URLSearchParams) => Found | null;

const matching = (text: string | null | undefined, pattern: RegExp): string | null =>
  text !== null && text !== undefined && pattern.test(text) ? text : null;

const video = (id: string | null): Found | null =>
  id === null
    ? null
    : {
        url: `https://www.youtube.com/watch?v=${id}`,
        embedUrl: `https://www.youtube-nocookie.com/embed/${id}`,
      };
const youtubeId = (text: string | null | undefined) => matching(text, /^[\w-]{11}$/);
const youtube: Reader = ([first, second], query) => {
  if (first === "watch") return video(youtubeId(query.get("v")));
  return ["embed", "shorts", "live", "v"].includes(first ?? "") ? video(youtubeId(second)) : null;
};

/** An unlisted video has a key behind its number, or as `h`. */
const vimeo: Reader = (path, query) => {
  const [first, second] = path[0] === "video" ? path.slice(1) : path;
  const id = matching(first, /^\d{1,12}$/);
  const key = matching(second ?? query.get("h"), /^[0-9a-f]{8,16}$/);
  if (id === null) return null;
  return {
    url: `https://vimeo.com/${id}${key ? `/${key}` : ""}`,
    embedUrl: `https://player.vimeo.com/video/${id}${key ? `?h=${key}` : ""}`,
  };
};

/** The id ends the name of a model: `/3d-models/red-chair-<id>`. */
const sketchfab: Reader = ([first, second]) => {
  if (first !== "models" && first !== "3d-models") return null;
  const id = matching(second?.slice(-32), /[0-9a-f]{32}/);
  if (id === null) return null;
  return {
    url: `https://sketchfab.com/3d-models/${id}`,
    embedUrl: `https://sketchfab.com/models/${id}/embed`,
  };
};

const soundName = /^[\w-]{1,100}$/;
const soundcloud: Reader = ([user, ...rest]) => {
  const name = matching(user, soundName);
  const isSet = rest[0] === "sets";
  const track = matching(isSet ? rest[1] : rest[0], soundName);
  if (name === null || track === null || rest.length > (isSet ? 2 : 1)) return null;
  const url = `https://soundcloud.com/${name}/${isSet ? "sets/" : ""}${track}`;
  return { url, embedUrl: `https://w.soundcloud.com/player/?url=${encodeURIComponent(url)}` };
};

const hosts: Readonly<Record<string, readonly [EmbedProvider, Reader]>> = {
  "youtube.com": ["youtube", youtube],
  "m.youtube.com": ["youtube", youtube],
  "music.youtube.com": ["youtube", youtube],
  "youtube-nocookie.com": ["youtube", youtube],
  "youtu.be": ["youtube", ([id]) => video(youtubeId(id))],
  "vimeo.com": ["vimeo", vimeo],
  "player.vimeo.com": ["vimeo", vimeo],
  "sketchfab.com": ["sketchfab", sketchfab],
  "soundcloud.com": ["soundcloud", soundcloud],
  "m.soundcloud.com": ["soundcloud", soundcloud],
};

/**
 * Reads the address of a video of YouTube or Vimeo, of a model of Sketchfab, or of a track or set of SoundCloud. Nothing of the
 * address is used but the names in it.
 * @returns null for every other address.
 */
export function readEmbed(address: string): Embed | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(address);
  if (!["https:", "http:"].includes(protocol) || (port || username || password) !== "") return null;
  const known = hostname.replace(/^www\./, "");
  const [provider, read] = (Object.hasOwn(hosts, known) && hosts[known]) || [];
  const found = read?.(pathname.split("/").slice(1).filter(Boolean), searchParams);
  return provider && found ? { provider, ...found } : null;
}
