/** How many columns the longest bar takes. */
const width = 40;
/** Parts of a column, an eighth each. */
const parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar for a value beside the largest of its chart, which is not below it. A value that is not 0 has a bar that can be seen; what is below 0 has none. */
export function bar(value: number, largest: number): string {
  if (value <= 0) return "";
  const eighths = Math.max(1, Math.round((value / largest) * width * parts.length));
  return "█".repeat(Math.floor(eighths / parts.length)) + (parts[eighths % parts.length] ?? "");
}
