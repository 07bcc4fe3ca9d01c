import * as z from "zod";
import { id } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { LinkPrompt, MakeLink, type MakePath, makePath, MakePath as Path, RejectLink } from "./schemas.ts";

/** A link of a make to a prompt. */
export interface MakeLinkPath extends MakePath {
  linkId: string;
}
const MakeLinkPath: Schema<MakeLinkPath> = z.strictObject({ ...makePath, linkId: id("lnk") });

/** Whether a link is pinned. */
export interface PinLink {
  pinned: boolean;
}
const PinLink: Schema<PinLink> = z.strictObject({ pinned: z.boolean() }).meta({ id: "PinLink" });

const deciding = { auth: "required", scope: "write", on: { make_link: ["owner", "moderator"] } } as const;

export const makeLinks = {
  /**
   * Says that the make was made with a version of a prompt. A link to your own prompt is approved at once; any other waits for the
   * owner of the prompt, who hears of it once the make is published. A make can have 20 links.
   */
  link: op({
    route: "POST /makes/{slug}/prompts",
    access: {
      auth: "required",
      scope: "write",
      on: { make: ["maker"] },
      with: { prompt: { on: { prompt: "viewers" }, from: "body.prompt" } },
    },
    params: Path,
    body: json(LinkPrompt),
    results: { 201: json(MakeLink), 204: empty() },
    errors: ["link_exists", "prompt_not_published", "version_yanked", "quota_exceeded"],
    emits: ["make.linked", "make.approved"],
  }),
  /** Removes a link. A link that was rejected stays so if it is made again. */
  unlink: op({
    route: "DELETE /makes/{slug}/prompts/{linkId}",
    access: { auth: "required", scope: "write", on: { make_link: ["maker", "owner"] } },
    params: MakeLinkPath,
    results: { 204: empty() },
  }),
  /** Approves a link: the make appears in the gallery of the prompt. An approved one stays as it is. */
  approve: op({
    route: "POST /makes/{slug}/prompts/{linkId}/approve",
    access: deciding,
    params: MakeLinkPath,
    results: { 200: json(MakeLink), 204: empty() },
    emits: ["make.approved"],
  }),
  /** Pins an approved make on the gallery of the prompt, or unpins it. A prompt can have six pinned makes. */
  pin: op({
    route: "POST /makes/{slug}/prompts/{linkId}/pin",
    access: deciding,
    params: MakeLinkPath,
    body: json(PinLink),
    results: { 200: json(MakeLink), 204: empty() },
    errors: ["link_not_approved", "pin_limit"],
  }),
  /** Rejects a link, also after its approval. The maker is told. */
  reject: op({
    route: "POST /makes/{slug}/prompts/{linkId}/reject",
    access: deciding,
    params: MakeLinkPath,
    body: json(RejectLink),
    results: { 200: json(MakeLink), 204: empty() },
  }),
};
