/** The row of a statement that gives one whatever the database holds: a count, what was just written, or what the request holds. */
export async function one<Row>(rows: PromiseLike<readonly Row[]>): Promise<Row> {
  const [row] = await rows;
  if (row === undefined) throw new Error("A statement that always gives a row gave none.");
  return row;
}
