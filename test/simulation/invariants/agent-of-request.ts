import { parseJson } from "../../../src/core/parse-json.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { TransportRequest } from "../../../src/kube/transport.ts";

const bearer = /^Bearer [^.]+\.([^.]+)\./u;

/** The cluster by whose working credential a request was sent, from the subject of its token; undefined of all others. */
export function agentOfRequest({ headers }: Pick<TransportRequest, "headers">): string | undefined {
  const payload = bearer.exec(headers["authorization"] ?? headers["Authorization"] ?? "")?.[1];
  if (payload === undefined) return undefined;
  const claims = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
  return /^system:serviceaccount:fleet:rollcall-([^.]+)$/u.exec(textAt(claims, "sub") ?? "")?.[1];
}
