import { readFile } from "node:fs/promises";
import { isJsonObject } from "../../src/core/json.ts";
import { numberAt, textAt } from "../../src/core/read-json.ts";

/** One finished request, as it is in the API server's audit log. */
export interface AuditedCall {
  readonly user: string;
  readonly verb: string;
  readonly apiGroup: string;
  /** With its subresource: `clusters/status`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly status: number;
  readonly path: string;
  /** When it was answered, by the API server's clock. */
  readonly atMs: number;
}

/** The finished calls of one user, or of those that are meant, in order. A watch counts when it has begun. */
export async function readAuditLog(path: string, user: string | ((name: string) => boolean)): Promise<AuditedCall[]> {
  const isMeant = typeof user === "string" ? (name: string) => name === user : user;
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  return lines
    .flatMap((line) => parseLine(line) ?? [])
    .filter((event) => isMeant(textAt(event, "user", "username") ?? ""))
    .filter((event) => textAt(event, "stage") !== "RequestReceived" && !isEndOfWatch(event))
    .map((event) => {
      const subresource = textAt(event, "objectRef", "subresource");
      const resource = textAt(event, "objectRef", "resource") ?? "";
      return {
        user: textAt(event, "user", "username") ?? "",
        verb: textAt(event, "verb") ?? "",
        apiGroup: textAt(event, "objectRef", "apiGroup") ?? "",
        resource: subresource === undefined ? resource : `${resource}/${subresource}`,
        namespace: textAt(event, "objectRef", "namespace"),
        name: textAt(event, "objectRef", "name"),
        status: numberAt(event, "responseStatus", "code") ?? 0,
        path: textAt(event, "requestURI") ?? "",
        atMs: Date.parse(textAt(event, "stageTimestamp") ?? ""),
      };
    });
}

/** A watch that was accepted was counted when it began. */
function isEndOfWatch(event: unknown): boolean {
  const isAccepted = numberAt(event, "responseStatus", "code") === 200;
  return textAt(event, "verb") === "watch" && textAt(event, "stage") === "ResponseComplete" && isAccepted;
}

/** The last line may be half written. */
function parseLine(line: string): unknown {
  try {
    const event: unknown = JSON.parse(line);
    return isJsonObject(event) ? event : undefined;
  } catch {
    return undefined; // see above: it is read again later
  }
}
