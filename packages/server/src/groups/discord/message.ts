import type { DiscordMessage, InteractionAnswer } from "@promptreg/core";

type Embed = NonNullable<DiscordMessage["embeds"]>[0];

/** The most that Discord takes of it. Of a title it takes more than any prompt has. */
export const mostOfDescription = 4_096;

/** What only whoever wrote the command sees. */
export const privately = (content: string): InteractionAnswer => reply({ content, flags: 64 });
export const privatelyShown = (embed: Embed): InteractionAnswer => reply({ embeds: [embed], flags: 64 });

/** What everybody in the channel sees. */
export const publicly = (embed: Embed): InteractionAnswer => reply({ embeds: [embed] });

/** No name in a text notifies anybody, whatever the text is. */
const reply = (message: Omit<DiscordMessage, "allowed_mentions">): InteractionAnswer => ({
  type: 4,
  data: { ...message, allowed_mentions: { parse: [] } },
});

/**
 * A text as Discord shows it literally, in at most so many characters if it can be long. Any punctuation may be escaped there: so no text becomes a
 * mention, a link, a heading or whatever Discord's Markdown learns.
 */
export function literally(text: string, mostLength = Infinity): string {
  let shown = "";
  for (const character of text) {
    const piece = /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
    if (shown.length + piece.length >= mostLength) return `${shown}…`;
    shown += piece;
  }
  return shown;
}

/** A text on one line. */
export const inLine = (text: string, mostLength = Infinity): string =>
  literally(text.replace(/\s+/g, " ").trim(), mostLength);
