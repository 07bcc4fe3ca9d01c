import { readTemplate } from "../template/render.ts";
import { writeTemplate } from "./messages.ts";

/** A Mustache template. Two braces in literal text stand between changes of the delimiters: Mustache has no escape for them. */
export const toMustache = (template: string, mark: (name: string) => string): string =>
  writeTemplate(readTemplate(template), mark, (literal, isBeforeMark) =>
    literal.replace(isBeforeMark ? /\{\{+|\{$/g : /\{\{+/g, (braces) => `{{=<% %>=}}${braces}<%={{ }}=%>`),
  );
