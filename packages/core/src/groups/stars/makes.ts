import { json, op } from "../../operations/operation.ts";
import { MakePath } from "../makes/schemas.ts";
import { Starred, Unstarred } from "./schemas.ts";

const access = { auth: "required", scope: "write", on: { make: "viewers" } } as const;

export const makeStars = {
  /** Stars a make. A second star of yours changes nothing. */
  add: op({
    route: "POST /makes/{slug}/star",
    access,
    params: MakePath,
    results: { 200: json(Starred) },
  }),
  /** Removes your star from a make, if there is one. */
  remove: op({
    route: "DELETE /makes/{slug}/star",
    access,
    params: MakePath,
    results: { 200: json(Unstarred) },
  }),
};
