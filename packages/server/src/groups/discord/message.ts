import type { DiscordMessage, InteractionAnswer } from "@promptreg/core";

/** The most that Discord takes of each. */
export const most = { title: 256, description: 4_096 };

/** What only whoever wrote the command sees. */
export const privately = (content: string): InteractionAnswer => reply({ content, flags: 64 });

/** What everybody in the channel sees. */
export const publicly = (embed: NonNullable<DiscordMessage["embeds"]>[0]): InteractionAnswer =>
  reply({ embeds: [embed] });

/** No name in a text notifies anybody, whatever the text is. */
const reply = (message: Omit<DiscordMessage, "allowed_mentions">): InteractionAnswer => ({
  type: 4,
  data: { ...message, allowed_mentions: { parse: [] } },
});

/**
 * A text as Discord shows it literally, in at most so many characters. Any punctuation may be escaped there: so no text becomes a
 * mention, a link, a heading or whatever Discord's Markdown learns.
 */
export function literally(text: string, mostLength: number): string {
  let shown = "";
  for (const character of text) {
    const piece = /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
    if (shown.length + piece.length >= mostLength) return `${shown}…`;
    shown += piece;
  }
  return shown;
}

/** A text on one line. */
export const inLine = (text: string, mostLength: number): string =>
  literally(text.replace(/\s+/g, " ").trim(), mostLength);
