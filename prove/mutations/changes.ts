import ts from "typescript";
import { changesInSql } from "./sql.ts";

/** One change of a source: what stands from `start` to `end` becomes `text`. */
export interface Change {
  file: string;
  /** What was done, as its kind is counted. */
  kind: string;
  start: number;
  end: number;
  text: string;
}

type Found = Omit<Change, "file">;

const opposites: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: "<",
  [ts.SyntaxKind.GreaterThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanEqualsToken]: ">",
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [ts.SyntaxKind.AmpersandAmpersandToken]: "||",
  [ts.SyntaxKind.BarBarToken]: "&&",
  [ts.SyntaxKind.PlusToken]: "-",
  [ts.SyntaxKind.MinusToken]: "+",
  [ts.SyntaxKind.AsteriskToken]: "/",
  [ts.SyntaxKind.SlashToken]: "*",
  [ts.SyntaxKind.PlusEqualsToken]: "-=",
  [ts.SyntaxKind.MinusEqualsToken]: "+=",
};

/** Words that programs read: a name, a path, a type. What has spaces is for people. */
const word = /^[\w.:/@*-]+$/;
/** What stands in these is for people, even where it is one word. */
const prose = /^(message|description|error|title|summary|hint|help|examples?)$/;

/** All changes of one line or statement that a source allows, in its order. */
export function changesOf(file: string, source: string): Change[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    // Types say nothing at run time, nor does what a message, a thrown error or an example says.
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (isExample(node)) return;
    found.push(...changesAt(node, tree));
    if (ts.isNewExpression(node) && node.expression.getText(tree).endsWith("Error")) return;
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found.map((change) => ({ file, ...change }));
}

function changesAt(node: ts.Node, tree: ts.SourceFile): Found[] {
  const start = node.getStart(tree);
  const end = node.getEnd();
  const as = (kind: string, text: string): Found[] => [{ kind, start, end, text }];
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return negated(node.expression, tree);
  if (ts.isConditionalExpression(node)) return negated(node.condition, tree);
  if (ts.isBinaryExpression(node)) return operator(node, tree);
  if (ts.isExpressionStatement(node) && node.parent.kind !== ts.SyntaxKind.SourceFile)
    return as("statement removed", ";");
  if (ts.isThrowStatement(node)) return as("throw removed", ";");
  // The linter sees a promise that nobody waits for.
  if (ts.isAwaitExpression(node) && !ts.isExpressionStatement(node.parent))
    return as("await removed", node.expression.getText(tree));
  if (ts.isNumericLiteral(node) && !isDelay(node) && !isSign(node))
    return as("number", String(Number(node.text) + 1));
  if (node.kind === ts.SyntaxKind.TrueKeyword) return as("boolean", "false");
  if (node.kind === ts.SyntaxKind.FalseKeyword) return as("boolean", "true");
  if (ts.isRegularExpressionLiteral(node)) return patterns(node, tree);
  if (ts.isStringLiteral(node)) return isRead(node) ? as("word", JSON.stringify(`${node.text}x`)) : [];
  if (ts.isTaggedTemplateExpression(node) && /^sql\b/.test(node.tag.getText(tree)))
    return changesInSql(node.template.getText(tree), node.template.getStart(tree));
  return [];
}

function negated(condition: ts.Expression, tree: ts.SourceFile): Found[] {
  const [start, end] = [condition.getStart(tree), condition.getEnd()];
  return [{ kind: "condition negated", start, end, text: `!(${condition.getText(tree)})` }];
}

function operator({ left, right, operatorToken }: ts.BinaryExpression, tree: ts.SourceFile): Found[] {
  const text = opposites[operatorToken.kind];
  // Texts are joined with a plus as well, which a minus would only break.
  const isText = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
  if (text === undefined || (isText && ["-", "-="].includes(text))) return [];
  return [{ kind: "operator", start: operatorToken.getStart(tree), end: operatorToken.getEnd(), text }];
}

/** Loses an anchor at either end, or takes none where one was needed. */
function patterns(node: ts.RegularExpressionLiteral, tree: ts.SourceFile): Found[] {
  const [start, text] = [node.getStart(tree), node.getText(tree)];
  const found: Found[] = [];
  // Without its anchor it would be a comment.
  if (/^\/[$^]\//.test(text)) return found;
  // In a class of characters these are characters.
  const outside = text.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, (part) =>
    part.startsWith("[") ? `[${"x".repeat(part.length - 2)}]` : part,
  );
  for (const { 0: part, index } of outside.matchAll(/(?<=^\/)\^|\$(?=\/\w*$)|(?<=[\w)\]])\+(?!\?)/g)) {
    const instead = part === "+" ? "*" : "";
    if (
      instead === "*" &&
      takesAway(node) &&
      matchesNothing(text.slice(0, index) + instead + text.slice(index + 1))
    )
      continue;
    found.push({ kind: "pattern", start: start + index, end: start + index + 1, text: instead });
  }
  return found;
}

/** Whether a pattern says what to replace by nothing, so that it may as well find nothing. */
const takesAway = ({ parent }: ts.Node) =>
  ts.isCallExpression(parent) && parent.arguments[1]?.getText() === '""';

function matchesNothing(literal: string): boolean {
  const end = literal.lastIndexOf("/");
  return new RegExp(literal.slice(1, end), literal.slice(end + 1)).test("");
}

const isExample = (node: ts.Node) =>
  (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node)) &&
  /^examples?$/.test(node.name.getText());

/** A timer's milliseconds, of which nobody sees one more. */
const isDelay = ({ parent }: ts.Node) =>
  ts.isCallExpression(parent) && /^set(?:Timeout|Interval)$/.test(parent.expression.getText());

/** What one thing comes before or after another by, of which only the sign counts. */
const isSign = ({ parent }: ts.Node) =>
  /\? -?1 : -?1$/.test((ts.isPrefixUnaryExpression(parent) ? parent.parent : parent).getText());

function isRead(node: ts.StringLiteral): boolean {
  const { parent } = node;
  if (!word.test(node.text)) return false;
  if (ts.isPropertyAssignment(parent))
    return parent.initializer === node && !prose.test(parent.name.getText());
  return !ts.isPropertyName(node) || !("name" in parent && parent.name === node);
}
