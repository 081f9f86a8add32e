import { parseJson } from "../../src/core/parse-json.ts";
import { textAt } from "../../src/core/read-json.ts";

/** The subject of a token as it is in the header of a request. */
export function subjectOf(authorization: string | undefined): string | undefined {
  const payload = /^Bearer [^.]+\.([^.]+)\./u.exec(authorization ?? "")?.[1];
  return payload && textAt(parseJson(Buffer.from(payload, "base64url").toString("utf8")), "sub");
}
