import type { FamilyTree } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";

export async function drawTree(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  { depth }: { depth: number },
): Promise<void> {
  const client = await connect();
  const tree = await client.makes.familyTree({ query: { prompt: `${owner}/${slug}`, depth } });
  output.result(tree, () => draw(tree, output));
  if (tree.truncated && !output.isJson) output.note("There is more than this: the tree ends at 500.");
}

/** The tree from where it begins. A node that several lead to is drawn once. */
function draw({ root, nodes, edges }: FamilyTree, { colors }: Output): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isBelow = new Set(edges.map(({ to }) => to));
  const drawn = new Set<string>();
  const lines: string[] = [];
  const add = (id: string, indent: string, branch: string, relation: string) => {
    const node = byId.get(id);
    if (node === undefined || drawn.has(id)) return;
    drawn.add(id);
    const name = cell(node.ref);
    const kind = relation === "" ? "" : colors.dim(` ${relation}`);
    lines.push(
      `${indent}${branch}${id === root ? colors.bold(name) : name}${kind}  ${colors.dim(cell(node.title))}`,
    );
    const below = edges.filter(({ from, to }) => from === id && !drawn.has(to));
    const inner = branch === "" ? indent : `${indent}${branch.startsWith("└") ? "   " : "│  "}`;
    for (const [nth, edge] of below.entries())
      add(edge.to, inner, nth === below.length - 1 ? "└─ " : "├─ ", edge.relation);
  };
  for (const { id } of nodes) if (!isBelow.has(id)) add(id, "", "", "");
  return lines.join("\n");
}
