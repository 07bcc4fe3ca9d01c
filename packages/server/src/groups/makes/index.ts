import type { ServerGroup } from "../../kernel/group.ts";
import * as files from "./files.ts";
import { linkTarget } from "./link-target.ts";
import * as handlers from "./makes.ts";
import { renewHtml } from "./makes.sql.ts";
import * as media from "./media.ts";
import * as parts from "./parts.ts";
import * as prompts from "./prompts.ts";
import { rankMakes, trend } from "./rank.sql.ts";
import { remix } from "./remix.ts";
import { makeTarget } from "./target.ts";

export const makes = {
  handlers: { ...handlers, remix, files, media, parts, prompts },
  targets: { make: makeTarget, make_link: linkTarget },
  trend,
  work: ({ sql }) => ({ everyMinute: () => renewHtml(sql), hourly: () => rankMakes(sql) }),
} satisfies ServerGroup<"makes">;
export { selectMadeWith } from "./links.sql.ts";
export {
  isMakeForAll,
  isMakeListed,
  isMakeVisible,
  isMakeVisibleTo,
  isOwnMake,
  makeAt,
  makeById,
  makeColumns,
  type MakeRow,
  makeTarget,
  shownByMake,
} from "./target.ts";
export { makeSummary } from "./shown.sql.ts";
