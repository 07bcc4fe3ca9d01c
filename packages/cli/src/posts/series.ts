import type { Series, UpdateSeries } from "@promptreg/core";
import { InputError, UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { cell, countOf } from "../terminal/text.ts";
import { stateOf } from "./find.ts";

const nameOf = ({ id, title }: Pick<Series, "id" | "title">): string =>
  `${id} ${cell(JSON.stringify(title))}`;

export async function createSeries(
  { connect, output }: Context,
  title: string,
  about: Omit<UpdateSeries, "title">,
): Promise<void> {
  const client = await connect();
  const series: Series | undefined = await client.posts.series.create({ body: { title, ...about } });
  output.result(
    series ?? null,
    () => `${series ? output.colors.bold(nameOf(series)) : "The series"} is created`,
  );
}

export async function viewSeries({ connect, output }: Context, id: string): Promise<void> {
  const client = await connect();
  const series = await client.posts.series.get({ id });
  output.result(series, () =>
    [
      output.fields([
        ["title", output.colors.bold(cell(series.title))],
        ["description", cell(series.description ?? "none")],
        ["owner", cell(series.owner.handle)],
        ["slug", series.slug],
      ]),
      output.table(
        ["", "post", "title", "status"],
        series.posts.map((post, nth) => [
          String(nth + 1),
          output.colors.bold(post.id),
          cell(post.title),
          stateOf(post),
        ]),
      ),
    ]
      .filter(Boolean)
      .join("\n\n"),
  );
}

export async function editSeries(
  { connect, output }: Context,
  id: string,
  change: UpdateSeries,
): Promise<void> {
  if (Object.keys(change).length === 0)
    throw new UsageError("Name what to change: --title, --description or --slug.");
  const client = await connect();
  const series: Series | undefined = await client.posts.series.update({ id, body: change });
  output.result(series ?? null, () => `${output.colors.bold(series ? nameOf(series) : id)} is edited`);
}

export async function deleteSeries({ connect, confirm, output }: Context, id: string): Promise<void> {
  const client = await connect();
  const series = await client.posts.series.get({ id });
  await confirm(`Delete the series ${nameOf(series)}? Its posts stay.`);
  await client.posts.series.delete({ id });
  output.result({ id, deleted: true }, () => `${output.colors.bold(id)} is deleted. Its posts stay.`);
}

export async function orderSeries(
  { connect, output }: Context,
  id: string,
  named: readonly string[],
): Promise<void> {
  const client = await connect();
  const before = (await client.posts.series.get({ id })).posts.map((post) => post.id);
  const stranger = named.find((post) => !before.includes(post));
  if (stranger !== undefined)
    throw new InputError(
      `${stranger} is not in this series. \`promptreg post edit --series ${id}\` adds it.`,
    );
  const postIds = [...new Set([...named, ...before])];
  const series: Series | undefined = await client.posts.series.reorder({ id, body: { postIds } });
  const others = postIds.length - new Set(named).size;
  output.result(
    series ?? null,
    () =>
      `${output.colors.bold(id)} begins with ${named.join(", ")}${others > 0 ? `, before ${countOf(others, "other post")}` : ""}`,
  );
}
