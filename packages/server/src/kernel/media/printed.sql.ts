import type { Media } from "@promptreg/core";
import { type Fields, object, type Part, type Piece, piece } from "../../database/columns.ts";
import { type Site, userRef } from "../accounts/accounts.ts";

/** What the addresses of media begin with, too. */
export interface MediaSite extends Site {
  /** The origin that serves media. */
  mediaUrl: string;
  /** Nothing is for everybody: all addresses are links that end. */
  isForMembers: boolean;
}

/** What addresses name: the media themselves, or what was made of them. */
export const mediaParts = { whole: "", thumbnail: "/thumbnail" } as const;

/** The address of a part of `media m`. `isForAll` is SQL: whether everybody sees them. */
const address = <Given extends MediaSite>(suffix: string, isForAll: Part<Given>): Piece<Given> =>
  piece<Given>`${(_, { mediaUrl }) => mediaUrl} || '/media/' || m.id || '${suffix}' || case when ${isForAll} and not ${(_, { isForMembers }) => isForMembers}::boolean then ''
    else media_link(m.link_secret, '/media/' || m.id || '${suffix}') end`;

/** The fields of `media m`. */
export const mediaFields = <Given extends MediaSite>(isForAll: Part<Given>): Fields<Media, Given> => ({
  id: "m.id",
  kind: "m.kind",
  mediaType: "m.media_type",
  size: "m.size",
  width: "m.width",
  height: "m.height",
  durationMs: "m.duration_ms",
  alt: "m.alt",
  url: piece<Given>`case when m.status = 'ready' then ${address(mediaParts.whole, isForAll)} end`,
  thumbnailUrl: piece<Given>`case when m.thumbnail_key is not null then ${address(mediaParts.thumbnail, isForAll)} end`,
  sha256: "case when m.status = 'ready' then m.sha256 end",
  status: "m.status",
  owner: userRef("m.owner_id"),
  // By what is being printed.
  inUse: "true",
  createdAt: "iso(m.created_at)",
});

/** The JSON of media, whose id is given as SQL; null without one. They are shown by what is being printed. */
export const mediaOf = <Given extends MediaSite>(
  id: string,
  isForAll: Part<Given>,
): Piece<Given> => piece<Given>`
  (select ${object<Media, Given>(mediaFields(isForAll))} from media m where m.id = ${id})`;

/** The same for a list of ids, in its order. */
export const mediaListOf = <Given extends MediaSite>(
  ids: string,
  isForAll: Part<Given>,
): Piece<Given> => piece<Given>`
  (select coalesce(json_agg(${object<Media, Given>(mediaFields(isForAll))} order by wanted.nth), '[]')
  from unnest(${ids}) with ordinality wanted (id, nth)
    cross join lateral (select * from media where id = wanted.id offset 0) m)`;
