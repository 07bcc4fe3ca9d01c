import {
  aboutsOf,
  type Access,
  type FieldAccess,
  groups,
  kindsOf,
  type Operation,
  rateLimits,
  roleName,
} from "@promptreg/core";
import { type OperationNotes, summaries } from "@promptreg/core/summaries";
import { type ErrorComponents, errorAnswers } from "./errors.ts";
import { printAnswers } from "./answers.ts";
import { printBody, printParameters } from "./request.ts";
import type { PrintedSchemas } from "./schemas.ts";
import type { OperationObject } from "./shape.ts";

/** What printing an operation reads, and the components that it adds to. */
export interface Printing extends ErrorComponents {
  schemas: PrintedSchemas;
}

/** The name of the group that an operation belongs to. */
export function groupOf(id: string): { title: string; description: string } {
  const name = id.split(".", 1)[0] ?? id;
  const known: Record<string, { title: string; description: string }> = groups;
  return known[name] ?? { title: name, description: "" };
}

/** Prints one operation from nothing but what the contract says about it. */
export function printOperation(id: string, operation: Operation, printing: Printing): OperationObject {
  const known: Record<string, OperationNotes> = summaries;
  const notes = known[id] ?? { summary: id };
  return {
    operationId: id,
    summary: notes.summary,
    description: [
      notes.description,
      describeAccess(operation),
      describeRate(operation),
      describeEvents(operation),
    ]
      .filter((paragraph) => paragraph !== undefined)
      .join("\n\n"),
    tags: [groupOf(id).title],
    security: operation.access.auth === "optional" ? [{}, { token: [] }] : [{ token: [] }],
    "x-scope": operation.access.scope,
    ...(operation.access.restricted && { "x-restricted": operation.access.restricted }),
    parameters: printParameters(operation, notes, printing.schemas),
    ...printBody(operation, printing.schemas),
    responses: {
      ...printAnswers(operation, printing.schemas),
      ...errorAnswers(operation, printing),
    },
  };
}

const oneOf = (names: readonly string[]) => new Intl.ListFormat("en", { type: "disjunction" }).format(names);

function describeAccess({ access, fields = {} }: Operation): string {
  const { auth, scope } = access;
  const scopes = scope === "evals:write" ? "`evals:write` or `write`" : `\`${scope}\``;
  const token =
    auth === "optional"
      ? `Works without a token${scope === "none" ? "." : `; with the scope ${scopes} a token may show more.`}`
      : scope === "none"
        ? "Needs a token with any scope."
        : `Needs a token with the scope ${scopes}.`;
  const roles = aboutsOf(access).flatMap((about) =>
    kindsOf(about).flatMap((kind) => {
      const allowed = about.on[kind] ?? "viewers";
      return allowed === "viewers" ? [] : [allowed.map((role) => roleName(kind, role))];
    }),
  );
  const only = roles.map((names) => `Only for ${oneOf(names)}.`);
  return [
    token,
    ...only,
    ...Object.entries(fields).flatMap(([name, rule]) => describeField(access, name, rule)),
  ].join(" ");
}

function describeField({ on = {} }: Access, name: string, rule: FieldAccess | undefined): string[] {
  const [kind] = kindsOf({ on });
  const who = rule?.allow?.map((role) => (kind ? roleName(kind, role) : role));
  return [
    ...(who ? [`\`${name}\` can be sent by ${oneOf(who)}.`] : []),
    ...(rule?.scope ? [`\`${name}\` needs the scope \`${rule.scope}\`.`] : []),
    ...(rule?.callerFor === undefined ? [] : [`\`${name}=${rule.callerFor}\` needs a token.`]),
  ];
}

const counted = { ip: "address", token: "token or address", account: "account", target: "target" };

function describeRate({ rate }: Operation): string | undefined {
  if (rate === undefined) return undefined;
  const { quota, windowSeconds, per } = rateLimits[rate.policy];
  const which = rate.when === undefined ? "" : ` with \`${rate.when}\``;
  return `Limit: ${quota} requests${which} in ${windowSeconds} seconds for each ${counted[per]}.`;
}

const describeEvents = ({ emits = [] }: Operation) =>
  emits.length > 0 ? `Can send these events: ${emits.map((name) => `\`${name}\``).join(", ")}.` : undefined;
