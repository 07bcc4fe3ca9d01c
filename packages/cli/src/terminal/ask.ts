import type { Ask } from "./io.ts";
import { confirm, isCancel, multiselect, password, settings, text } from "@clack/prompts";
import { Interrupted } from "../errors.ts";

function given<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Interrupted("Nothing was changed.");
  return answer as Exclude<T, symbol>;
}

// Letters that stand for arrows: who types `ls` at a question would have said yes.
for (const letter of ["h", "j", "k", "l"]) settings.aliases.delete(letter);
// Neither is an arrow. Enter sends a line feed if it is pressed before the question stands there.
for (const key of ["space", "enter"] as const) settings.actions.delete(key);

// Results have standard output to themselves.
const output = process.stderr;

/** Asks on the terminal of this process. */
export const ask: Ask = {
  confirm: async (message, signal) =>
    given(await confirm({ message, initialValue: false, output, ...(signal && { signal }) })),
  choose: async (message, options, signal) => {
    settings.actions.add("space");
    const chosen = await multiselect({
      message: `${message} (space selects, a selects all or none)`,
      options: options.map((option, value) => ({ ...option, value })),
      initialValues: options.map((_, value) => value),
      required: false,
      output,
      ...(signal && { signal }),
    });
    settings.actions.delete("space");
    return given(chosen);
  },
  text: async (message) => given(await text({ message, output })),
  secret: async (message) => given(await password({ message, output })),
};
