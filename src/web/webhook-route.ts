import type { WebRequest, WebRoute } from "./web.ts";

/** What became of a webhook. */
export type WebhookAnswer = "taken" | "ignored" | "unsigned" | "malformed";

const statuses = { taken: 202, ignored: 202, unsigned: 401, malformed: 400 } as const;

/** Bodies of forges are smaller; more is not read at all. */
const maximumBytes = 4 * 1024 * 1024;

/**
 * POST /webhook. A request whose headers have no signature or token is refused before its body is read, by `isSigned`.
 * `take` checks the signature and enqueues the affected runs. The answer states only whether it was accepted: the
 * content of a webhook is never trusted, it only causes a reconcile.
 */
export function webhookRoute(
  take: (headers: WebRequest["headers"], body: Uint8Array) => Promise<WebhookAnswer>,
  isSigned: (headers: WebRequest["headers"]) => boolean | Promise<boolean>,
): WebRoute {
  return {
    method: "POST",
    path: "/webhook",
    answer: async ({ headers, readBody }) => {
      if (!(await isSigned(headers))) return { status: statuses.unsigned, body: "unsigned\n" };
      const answer = await take(headers, await readBody(maximumBytes));
      return { status: statuses[answer], body: `${answer}\n` };
    },
  };
}
