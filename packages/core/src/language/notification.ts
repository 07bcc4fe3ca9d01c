import type { EventAbout, EventActor, EventDefinition } from "./event.ts";

/** The text of a notification: plain text, one line each. */
export interface NotificationText<Type extends string = string> {
  /** Contains no text of people, since it becomes the subject of a mail. */
  title: string;
  body: string;
  url: string;
  /** Its target, by type and address. */
  target: { type: Type; id: string };
}

/** Writes the text of one type of notification. */
export type Describe<D, Type extends string = string> = (data: D) => NotificationText<Type>;

/** The texts of a group's events. An event without a text does not compile. */
export type DescribeEach<Events, Type extends string> = {
  readonly [N in keyof Events]: Describe<
    (Events[N] extends EventDefinition<infer D> ? D : never) & EventAbout,
    Type
  >;
};

const maxLength = 280;

/** Text of people as a part of a line: without line breaks and control characters, and cut if it is too long. */
export function inLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Z}]+/gu, " ").trim();
  const characters = Array.from(line);
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join("")}…` : line;
}

/** `Committed by alice: Ask for a summary first`. The actor and the reason are optional. */
export const did = (verb: string, actor: EventActor | null, why: string | null = null): string =>
  `${verb}${actor ? ` by ${actor.handle}` : ""}${why ? `: ${inLine(why)}` : "."}`;
