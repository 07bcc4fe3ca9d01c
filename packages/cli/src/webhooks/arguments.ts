import { InvalidArgumentError } from "commander";

/** Names of events with commas between, or `all`, also those that are still to come; commander has no null. */
export function eventsOption(text: string): string[] | "all" {
  if (text === "all") return text;
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("Write event names, separated by commas, or all.");
  return names;
}

/** Gathers the prompts of a webhook; `all` is no filter. */
export const promptsOption = (text: string, earlier: string[] | "all" = []): string[] | "all" =>
  text === "all" || earlier === "all" ? "all" : [...earlier, text];

/** The id of a delivery. */
export function deliveryArgument(text: string): string {
  if (!/^dlv_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) {
    throw new InvalidArgumentError("Write a delivery id, such as dlv_01jd….");
  }
  return text;
}

/** Gathers the ids of deliveries. */
export const deliveriesArgument = (text: string, earlier: string[] = []): string[] => [
  ...earlier,
  deliveryArgument(text),
];

/** Where to forward to: an address on http or https; without a scheme it is http, as it is on one's own machine. */
export function targetOption(text: string): URL {
  const address = /^[a-z][a-z+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError("Write an address such as http://localhost:3000/hook.");
  }
  return url;
}
