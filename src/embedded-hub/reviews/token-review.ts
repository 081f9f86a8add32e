import { textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Authenticator } from "../auth/auth.ts";
import { badRequest } from "../failures/failures.ts";

/** Source: Kubernetes, pkg/registry/authentication/tokenreview. Throws 400 without a token. */
export async function reviewToken(review: KubeObject, authenticator: Authenticator): Promise<KubeObject> {
  const token = textAt(review, "spec", "token") ?? "";
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const outcome = await authenticator.reviewToken(token, textsAt(review, "spec", "audiences"));
  const status =
    outcome.kind === "refused"
      ? { user: {}, error: outcome.reason }
      : { authenticated: true, user: outcome.user, audiences: outcome.audiences };
  return { ...review, status };
}
