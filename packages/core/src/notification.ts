import type { EventAbout, EventActor, EventDefinition } from "./event.ts";

/** The words of a notification: plain text, one line each. */
export interface NotificationText<Type extends string = string> {
  /** Contains no text that people wrote: it becomes the subject of a mail. */
  title: string;
  body: string;
  url: string;
  /** What it is about, by the type and the address it has in targets. */
  target: { type: Type; id: string };
}

/** Writes the words of one type of notification. */
export type Describe<D, Type extends string = string> = (data: D) => NotificationText<Type>;

/** The words of a group's events. An event without words does not compile. */
export type DescribeEach<Events, Type extends string> = {
  readonly [N in keyof Events]: Describe<
    (Events[N] extends EventDefinition<infer D> ? D : never) & EventAbout,
    Type
  >;
};

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
