import type { MediaKind } from "@promptreg/core";

/** Media to be read, in a file. */
export interface Task {
  path: string;
  kind: MediaKind;
  mediaType: string;
  /** Where new files can be written. */
  folder: string;
  /** What pictures may have. It is given, since to load the contract for it takes as long as to load all else. */
  images: { maxPixels: number; maxFrames: number };
}

/** What media are, as decoding says. */
export interface Processed {
  kind: MediaKind;
  mediaType: string;
  width: number | null;
  height: number | null;
  durationMs: number | null;
  /** What takes the place of what was sent; null if that stays. */
  whole: string | null;
  thumbnail: string | null;
}

/** How the process ends if it takes more memory than it may. */
export const tooMuchMemory = 86;

/** What was sent cannot be shown. The message is for its owner. */
export class MediaError extends Error {
  override readonly name = "MediaError";
}

/** What stays as it was sent. */
export const asSent = ({ kind, mediaType }: Pick<Task, "kind" | "mediaType">): Processed => ({
  kind,
  mediaType,
  width: null,
  height: null,
  durationMs: null,
  whole: null,
  thumbnail: null,
});
