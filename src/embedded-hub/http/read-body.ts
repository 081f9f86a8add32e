import { ApiFailure } from "../failures/api-failure.ts";
import { tooLarge } from "../failures/failures.ts";
import type { BodyDeadlines } from "./body-deadlines.ts";
import type { HubRequest } from "./http-server.ts";

/** As kube-apiserver limits it. */
export const bodyLimitBytes = 3 * 1024 * 1024;

/** The whole body. Throws 413 beyond 3 MiB, 408 when it does not arrive in time, 400 when it breaks off. */
export function readBody(request: HubRequest, deadlines: BodyDeadlines): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    let isSettled = false;
    const settle = (finish: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      deadlines.forget(request);
      finish();
    };
    deadlines.await(request, () =>
      settle(() => reject(new ApiFailure(408, "Timeout", "the body of the request did not arrive in time"))),
    );
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= bodyLimitBytes) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      settle(() => reject(tooLarge(`Request entity too large: limit is ${bodyLimitBytes}`)));
    });
    request.once("end", () =>
      settle(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))),
    );
    request.once("error", (error) => settle(() => reject(brokenOff(error))));
    request.once("close", () => settle(() => reject(brokenOff())));
  });
}

function brokenOff(cause?: unknown): ApiFailure {
  return new ApiFailure(400, "BadRequest", "the body of the request broke off", { cause });
}
