import { watchPieces } from "../../core/body-pieces.ts";
import { collectBytes } from "../../core/collect-bytes.ts";
import { ApiFailure } from "../failures/api-failure.ts";
import { tooLarge } from "../failures/failures.ts";
import type { BodyAccount } from "./body-bytes.ts";
import type { BodyDeadlines } from "./body-deadlines.ts";
import { endConnection } from "./end-connection.ts";
import type { Exchange, HttpScope } from "./exchange.ts";
import type { HubRequest } from "./http-server.ts";
import type { ReadYaml } from "./parse-body.ts";
import { parseInTurn } from "./parse-in-turn.ts";

/** As kube-apiserver limits it. */
export const bodyLimitBytes = 3 * 1024 * 1024;

/**
 * What `parse` makes of the whole body, when it is the request's turn: a seat is not held while a body arrives. Throws 413
 * beyond 3 MiB, 408 when it does not arrive in time, 400 when it breaks off, 429 when bodies hold too much or too many
 * requests wait, 401 or 403 when the request is not admitted any more. A body counts until it is parsed.
 */
export async function readBody<T>(
  scope: HttpScope,
  { request, response, user, takeSeat, confirmAdmission }: Exchange,
  parse: (body: Buffer, readYaml: ReadYaml) => T | Promise<T>,
): Promise<T> {
  const account = scope.bodyBytes.open(user.username);
  const onGone = (listener: () => void): unknown => response.once("close", listener);
  try {
    const body = await receive(request, scope.bodyDeadlines, account);
    await takeSeat();
    const value = await parseInTurn(scope, () => parse(body, (text) => scope.yamlReader.read(text, user, onGone)));
    // A minute may have passed, and more in the queue of long texts.
    confirmAdmission();
    return value;
  } finally {
    account.release();
  }
}

function receive(request: HubRequest, deadlines: BodyDeadlines, account: BodyAccount): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Undefined when all is settled: a stream that its client never ends keeps its listeners, and must not keep the bytes.
    let collected: ReturnType<typeof collectBytes> | undefined = collectBytes();
    const settle = (finish: (bytes: ReturnType<typeof collectBytes>) => void): void => {
      if (collected === undefined) return;
      const bytes = collected;
      collected = undefined;
      deadlines.forget(request);
      finish(bytes);
    };
    deadlines.await(request, () =>
      settle(() => reject(new ApiFailure(408, "Timeout", "the body of the request did not arrive in time"))),
    );
    const isTooSmall = watchPieces();
    request.on("data", (chunk: Buffer) => {
      if (isTooSmall(chunk.length)) return endConnection(request);
      if (collected === undefined) return;
      try {
        if (collected.sizeBytes + chunk.length > bodyLimitBytes)
          throw tooLarge(`Request entity too large: limit is ${bodyLimitBytes}`);
        account.add(chunk.length);
        collected.add(chunk);
      } catch (error) {
        request.pause();
        settle(() => reject(error instanceof ApiFailure ? error : brokenOff(error)));
      }
    });
    request.once("end", () => settle((bytes) => resolve(bytes.take())));
    request.once("error", (error) => settle(() => reject(brokenOff(error))));
    request.once("close", () => settle(() => reject(brokenOff())));
  });
}

function brokenOff(cause?: unknown): ApiFailure {
  return new ApiFailure(400, "BadRequest", "the body of the request broke off", { cause });
}
