import { type Describe, inLine } from "../../language/notification.ts";
import type { ReportAction } from "./actions.ts";
import type { ReportTarget } from "./reported.ts";

/** A decision, as the reporter is told, or whoever owns the thing if something was done about it. */
export interface HandledReport {
  id: string;
  status: "resolved" | "dismissed";
  action: "none" | ReportAction;
  note: string | null;
  /** The thing and its owner's handle, if that is who is told. Who reported it may not see it any more. */
  own: { target: ReportTarget; handle: string } | null;
  /** Its address in the API. */
  url: string;
}

const does = { hidden: "hid", removed: "removed", rated: "rated" } as const;

export const reportNotifications: { "report.handled": Describe<HandledReport, "report" | "user"> } = {
  "report.handled": ({ id, status, action, note, own, url }) => {
    const why = note === null ? "" : ` The moderator writes: “${inLine(note)}”.`;
    if (own !== null && action !== "none") {
      const { target, handle } = own;
      return {
        title: `A moderator ${does[action]} something of yours`,
        body: `Your ${target.type.replaceAll("_", " ")} ${target.id} was ${action}.${why} To object, report your account, user:${handle}, and say why in the details.`,
        url,
        target: { type: "user", id: handle },
      };
    }
    return {
      title: `Your report was ${status}`,
      body: `${action === "none" ? "Nothing was changed." : `It was ${action}.`}${why}`,
      url,
      target: { type: "report", id },
    };
  },
};
