import { findChanges } from "@promptreg/core/content";

/** A part of a text that is in both texts, or in this one alone. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

/**
 * Words, spaces, and all other characters one by one; so are those of scripts without spaces. A combining mark stays with
 * its letter.
 */
const words =
  /\s+|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}])[\p{L}\p{M}\p{N}_])+|./gsu;
const wordsOf = (text: string): string[] => text.match(words) ?? [];

/**
 * Marks the words in which two texts differ. Null if they have so little in common that marks would only be in the way.
 */
export function markChanges(before: string, now: string): { before: Piece[]; now: Piece[] } | null {
  const [old, fresh] = [new Marked(wordsOf(before)), new Marked(wordsOf(now))];
  for (const { oldStart, oldEnd, newStart, newEnd } of findChanges(old.words, fresh.words)) {
    // One space between two changes splits nothing.
    const [gap, newGap] = [old.upTo(oldStart), fresh.upTo(newStart)];
    const joins = /^\s?$/.test(gap) && old.pieces.length > 0;
    old.add(gap, joins);
    fresh.add(newGap, joins);
    old.add(old.upTo(oldEnd), true);
    fresh.add(fresh.upTo(newEnd), true);
  }
  old.add(old.upTo(old.words.length), false);
  fresh.add(fresh.upTo(fresh.words.length), false);
  const isOther = old.changed > 0.75 * before.length && fresh.changed > 0.75 * now.length;
  return isOther ? null : { before: old.pieces, now: fresh.pieces };
}

/** The pieces of one text, as they are found. */
class Marked {
  readonly pieces: Piece[] = [];
  changed = 0;
  private at = 0;
  readonly words: string[];

  constructor(words: string[]) {
    this.words = words;
  }

  upTo(end: number): string {
    const text = this.words.slice(this.at, end).join("");
    this.at = end;
    return text;
  }

  add(text: string, isChanged: boolean): void {
    if (text === "") return;
    if (isChanged) this.changed += text.length;
    const last = this.pieces.at(-1);
    if (last?.isChanged === isChanged) last.text += text;
    else this.pieces.push({ text, isChanged });
  }
}
