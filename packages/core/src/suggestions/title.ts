import { fitText, wordsOf } from "../imports/foreign/names.ts";
import { plain, type ReadText } from "./read.ts";
import { firstSentence, leading } from "./summary.ts";
import { usualWords } from "./usual-words.ts";

const longest = 120;
/** More of a first sentence is no title. */
const longestPhrase = 60;

const partNames =
  /^(?:identity|purpose|goals?|roles?|role definition|tasks?|context|background|overview|about|introduction|intro|summary|description|instructions?|prompts?|system|system prompt|objectives?|mission|persona|steps?|process|workflow|rules?|guidelines?|requirements?|constraints?|principles|core principles|examples?|format|inputs?|outputs?|input data|usage|when to use|when to use this skill|use this skill when|quick start|getting started|expertise|capabilities|responsibilities|important|notes?|critical|profile|who you are|you are|instruction|problem|answer|core mission|配置|角色|任务|目标|背景|简介|说明|提示词|指令)$/i;

const words = /\p{L}+/gu;
/** Whether a heading is one that texts have for a part, or for two: `IDENTITY and PURPOSE`. */
const isPart = (text: string): boolean =>
  text
    .split(/ and | & |[/,:：]/i)
    .every((part) =>
      partNames.test(
        (part.match(words)?.join(" ") ?? "").replace(/^(?:your|the|primary|main|key|core) /i, ""),
      ),
    );

/** The only heading of its level, if it stands above the others: several of a level are those of parts. */
function headingOf({ headings }: ReadText): string | null {
  const isAlone = (level: number) => headings.filter((one) => one.level === level).length === 1;
  const found = [headings[0], headings.find(({ level }) => level === 1)].find(
    (one) => one !== undefined && /\p{L}/u.test(one.text) && !isPart(one.text) && isAlone(one.level),
  );
  return found?.text ?? null;
}

const address =
  /^(?:(?:please )?(?:i want|i need|i would like|i'd like) you to (?:act|be|play|serve) (?:as )?|act as |you are (?:now |acting as |tasked with )?|you're |you will (?:act|be|play|serve) (?:as )?|as (?=an? ))(?:(?:an?|the|my) )?/i;
/** What says at once what to do. */
const order =
  /^(?:your (?:task|job|goal|role|mission) is to |you (?!are |will |have |can |must |should )(?=[a-z]+ ))/i;
/** Where the name of a role ends, and what it does begins. */
const afterRole =
  /[,.;:()。，]+| [-–—] | (?:who|that|which|with|whose|for whom|speciali[sz]\w+(?: in)?|tasked with|designed to|responsible for|capable of|focused on|focusing on|dedicated to|and (?:you|your)|your|i will|based on|at|in|on)(?= |$)/i;

/** Whether words say nothing: `expert AI assistant`. */
const isUsual = (words: string): boolean =>
  words
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .every((word) => usualWords.has(word));

/** What a text tells a model to be or to do, by its first sentence: `Senior code reviewer`. */
function calling(sentence: string): string {
  const rest = sentence.replace(address, "");
  if (rest === sentence) return sentence.replace(order, "");
  const end = afterRole.exec(rest);
  const role = rest.slice(0, end?.index);
  // Of an expert in something, that something.
  if (end === null || !isUsual(role)) return role;
  const what = rest
    .slice(end.index + end[0].length)
    .replace(/^ *(?:and |that |who |with )*(?:an? |the )?/i, "");
  return isUsual(what) ? role : what;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The title of a text: what it calls itself, its name, whom it speaks to, or how it begins; null if it has no words. */
export function titleOf(text: ReadText, slug: string | null): string | null {
  const { title, name, paragraphs } = text;
  const named = name ?? slug;
  const sentence = firstSentence(leading(paragraphs), 0);
  const found =
    (title === null ? null : plain(title)) ??
    headingOf(text) ??
    (named === null ? null : wordsOf(plain(named))) ??
    (sentence === null ? null : fitText(calling(sentence).replace(/[.。!！:：]$/, ""), longestPhrase));
  return found === null ? null : fitText(capital(found), longest);
}
