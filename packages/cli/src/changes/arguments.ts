import { InvalidArgumentError } from "commander";

/** The number of a change request, as `12`, `#12` or `!12`. */
export function numberArgument(text: string): number {
  const [, digits] = /^[#!]?([1-9]\d{0,8})$/.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError("Write the number of a change request, such as 12.");
  return Number(digits);
}
