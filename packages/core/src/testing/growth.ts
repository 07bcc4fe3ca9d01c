/** The processor's time of this thread, in milliseconds, which others on the machine do not change much. */
async function costOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The least cost of three times, or the first that is little enough. */
async function least(work: () => unknown, enough = 0): Promise<number> {
  let cost = Infinity;
  for (let nth = 0; nth < 3 && cost > enough; nth += 1) cost = Math.min(cost, await costOf(work));
  return cost;
}

/** The mean of many times. The processor's time may come in ticks of 4 ms, and garbage is collected now and then. */
async function mean(work: () => unknown): Promise<number> {
  let [cost, times] = [0, 0];
  for (; cost < 100; times += 1) cost += await costOf(work);
  return cost / times;
}

/** Characters, from few on: a cube of many would take minutes. At the last, the square of any steps can be measured. */
const lengths = [512, 4_096];
const measurableMs = 1;
/** Four times the characters cost four times as much, and a little; with the square, sixteen times. */
const most = 9;

/**
 * How many times its cost some work takes for four times the characters; undefined where that is linear. `work` gets a number
 * of characters, and prepares what is measured.
 */
export async function growthOf(work: (length: number) => () => unknown): Promise<number | undefined> {
  for (const length of lengths) {
    const once = work(length);
    if ((await costOf(once)) < measurableMs) continue;
    const cost = await least(once);
    if (cost < measurableMs) continue;
    const isLong = cost > 100;
    const [fewer, more] = isLong ? [work(length / 4), once] : [once, work(4 * length)];
    const enough = most * (isLong ? await least(fewer) : cost);
    if ((isLong ? cost : await least(more, enough)) <= enough) return undefined;
    const growth = (await mean(more)) / (await mean(fewer));
    return growth > most ? Math.round(growth) : undefined;
  }
  return undefined;
}

/** A text of a length: something once, something again and again, and an end that fits neither. */
export interface HostileText {
  start: string;
  again: string;
  end: string;
}

export const write = ({ start, again, end }: HostileText, length: number): string =>
  `${start}${again.repeat(Math.ceil(length / again.length))}${end}`;

/** Marks of the languages that our readers know, alone and open, and what no pattern expects. */
const units = `
  . : .: @ @a @a/ @.. / ../ a/ a // # #file: ## [ ] [] [a]( ( () { } {} {a {, , {{ {{a {{a}} }} {% {# {{{ <% < > <a <!-- <![CDATA[ ]]>
  ! !\` !{ \` \`\`\` ~~~ " ' \\ \\{{ \\" $ \${ \${a} $( % %{ & &a *a * ** _ __ - -- --- = == + | || ; ? ^ ~ é a b1 1 0 1. 1e
  sk- ghp_ AKIA eyJ eyJ. xox -----BEGIN https:// http://a. file:// www. mailto: a@ a@a. data: key= password: token=
`
  .trim()
  .split(/\s+/);
const lines = [
  "",
  "a",
  "-",
  "- ",
  "a:",
  "a: b",
  "# ",
  "#",
  "> ",
  "```",
  "---",
  "[a]",
  "{{a}}",
  "user:",
  "a,b",
  '"',
  "@a",
  "\t",
];
const odd = [
  " ",
  "\t",
  "\r",
  "\u00a0",
  "\u0301",
  "\u200b",
  "\ufeff",
  "文",
  "\ud83d\ude00",
  "\ud800",
  "İ",
  "a ",
  " a",
  "a\u0301",
];

/** `npm run prove -- thorough` runs the long form of tests, such as texts that also begin with something else. */
export const isThorough = process.env["THOROUGH"] !== undefined;

/** Texts that readers have stumbled over, or could. */
export const hostileTexts: readonly HostileText[] = [
  ...units,
  ...lines.map((line) => `${line}\n`),
  ...odd,
].flatMap((again) => [
  { start: "", again, end: "x\u0001" },
  ...(isThorough
    ? [
        { start: "", again, end: "" },
        { start: "@", again, end: "x\u0001" },
      ]
    : []),
]);

/** The first text whose cost grows faster than it does, as a sentence. */
export async function complaintAbout(
  run: (text: string) => unknown,
  texts: readonly HostileText[] = hostileTexts,
): Promise<string | undefined> {
  for (const hostile of texts) {
    const growth = await growthOf((length) => {
      const text = write(hostile, length);
      return () => run(text);
    });
    if (growth !== undefined)
      return `four times the characters of ${JSON.stringify(hostile)} cost ${growth} times`;
  }
  return undefined;
}
