import type { EventActor } from "./events.ts";

/** What a notification is about, by the type and the address it has in targets. */
export interface NotificationTarget {
  type: "prompt" | "version" | "run" | "webhook";
  id: string;
}

/** What a person reads of something that happened: plain text, a line each. */
export interface NotificationText {
  /** Holds no free text of anybody, as it becomes the subject of a mail. */
  title: string;
  body: string;
  url: string;
  target: NotificationTarget;
}

/** Puts what happened into words. */
export type Describe<D> = (data: D) => NotificationText;

const longest = 280;

/** Free text of people as a part of a line: without line breaks and control characters, and cut where it is long. */
export function inLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Z}]+/gu, " ").trim();
  const signs = Array.from(line);
  return signs.length > longest ? `${signs.slice(0, longest - 1).join("")}…` : line;
}

/** `Committed by alice: Ask for a summary first`, of which all but the first word can be missing. */
export const did = (verb: string, actor: EventActor | null, why: string | null = null): string =>
  `${verb}${actor ? ` by ${actor.handle}` : ""}${why ? `: ${inLine(why)}` : "."}`;
