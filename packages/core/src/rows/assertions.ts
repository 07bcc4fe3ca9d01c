/** What has a limit and no other value, as in promptfoo. */
const isLimit = /^(?:not-)?(?:latency|cost)$/;

/** What a cell of a column `assert.<type>` says. For `latency` and `cost` it is the threshold: NaN if the cell is no number. */
export const assertionOfCell = (
  type: string,
  cell: string,
): { type: string; value?: string; threshold?: number } =>
  isLimit.test(type) ? { type, threshold: Number(cell) } : { type, value: cell };
