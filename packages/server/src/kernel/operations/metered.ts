import { respondWithError } from "@promptreg/core/wire";
import type { Context } from "hono";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { accessOf } from "../http/closed.ts";
import type { Failures } from "../failures/failures.ts";
import { headerOf, incomingOf, requestIdOf } from "../http/header.ts";
import { Meter } from "../rate-limits/meter.ts";
import { isShared } from "./respond.ts";
import { asApiError } from "../failures/as-api-error.ts";
import type { ServerContext } from "../server-context.ts";

type Counting = Pick<ServerContext, "limiter" | "trustedProxies"> & { failures: Pick<Failures, "refuse"> };

export const addressOfClient = (c: Context, { trustedProxies }: Pick<Counting, "trustedProxies">): string =>
  clientAddress(incomingOf(c)?.socket.remoteAddress ?? "", headerOf(c, "x-forwarded-for"), trustedProxies);

/** Makes a handler for requests that are no operation of the API. They count against the limits of their address too. */
export const metered =
  (server: Counting, answer: (c: Context, requestId: string) => Response) =>
  (c: Context): Response => {
    const requestId = requestIdOf(c);
    const network = networkOf(addressOfClient(c, server));
    const meter = server.limiter && new Meter(server.limiter, network);
    const access = accessOf(c);
    if (access) access.requestId = requestId;
    try {
      meter?.count();
    } catch (error) {
      const known = asApiError(error);
      if (access) access.code = known.code;
      server.failures.refuse(known.code, { operation: "none", requestId, network });
      return respondWithError(known, requestId, meter?.fields());
    }
    const response = answer(c, requestId);
    if (response.status === 304) meter?.giveBack();
    if (meter && !isShared(response.headers.get("cache-control"))) {
      for (const [name, value] of Object.entries(meter.fields() ?? {})) response.headers.set(name, value);
    }
    return response;
  };
