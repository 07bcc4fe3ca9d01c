import * as z from "zod";
import { id } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { AddPart, type MakePath, makePath, MakePath as Path, Part, UpdatePart } from "./schemas.ts";

/** A line of the list of parts of a make. */
export interface PartPath extends MakePath {
  id: string;
}
const PartPath: Schema<PartPath> = z.strictObject({ ...makePath, id: id("par") });

/** The new order of the list of parts of a make. */
export interface ReorderParts {
  /** The id of every line, each once. */
  ids: string[];
}
const ReorderParts: Schema<ReorderParts> = z
  .strictObject({ ids: z.array(id("par")).max(1_000) })
  .meta({ id: "ReorderParts" });

/** The list of parts of a make in its order. */
export interface OrderedParts {
  items: Part[];
}
const OrderedParts: Schema<OrderedParts> = z
  .strictObject({ items: z.array(Part) })
  .meta({ id: "OrderedParts" });

const access = { auth: "required", scope: "write", on: { make: ["maker"] } } as const;

export const parts = {
  /** Adds a line to the list of parts, after the others. A make can have 200. */
  add: op({
    route: "POST /makes/{slug}/parts",
    access,
    params: Path,
    body: json(AddPart),
    results: { 201: json(Part), 204: empty() },
    errors: ["quota_exceeded"],
  }),
  /** Changes a line of the list of parts. */
  update: op({
    route: "PATCH /makes/{slug}/parts/{id}",
    access,
    params: PartPath,
    body: json(UpdatePart),
    results: { 200: json(Part), 204: empty() },
  }),
  /** Removes a line from the list of parts. */
  delete: op({
    route: "DELETE /makes/{slug}/parts/{id}",
    access,
    params: PartPath,
    results: { 204: empty() },
  }),
  /** Puts the list of parts in another order. The list must name each line once. */
  reorder: op({
    route: "POST /makes/{slug}/parts/reorder",
    access,
    params: Path,
    body: json(ReorderParts),
    results: { 200: json(OrderedParts), 204: empty() },
    errors: ["order_mismatch"],
  }),
};
