import type { Carried } from "../kernel/store/transfer.ts";

/** How people read how much came along. */
export const carried = ({ files, bytes }: Carried): string =>
  `With ${files} files of media, ${(bytes / 1e6).toFixed(1)} MB,`;
