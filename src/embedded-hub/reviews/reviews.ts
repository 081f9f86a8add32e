// reviews: kinds and subresources that store nothing: what is posted is answered. One function a kind; this file is the
// table of them.
import type { Clock } from "../../core/clock.ts";
import type { Authenticator } from "../auth/auth.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { TokenIssuer } from "../auth/token-request.ts";
import { requestToken } from "../auth/token-request.ts";
import type { Answer, Operations } from "../operations/operations.ts";
import { reviewLocalAccess, reviewSelfAccess, reviewSubjectAccess } from "./access-review.ts";
import { answerWith } from "./answer-with.ts";
import { bindPod } from "./bind-pod.ts";
import { evictPod } from "./evict-pod.ts";
import { reviewRules } from "./rules-review.ts";
import { reviewSelf } from "./self-subject-review.ts";
import { reviewToken } from "./token-review.ts";

export interface AnswersOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: RbacAuthorizer;
  readonly issuer: TokenIssuer;
  readonly clock: Clock;
  /** The verbs; asked when something is answered, for they are made after the answers. */
  readonly operations: () => Operations;
}

/** The answers by `<group>/<plural>` or `<group>/<plural>/<subresource>`. */
export function createAnswers(options: AnswersOptions): ReadonlyMap<string, Answer> {
  const { authenticator, authorizer, issuer, clock, operations } = options;
  const authentication = { group: "authentication.k8s.io", version: "v1" };
  const authorization = { group: "authorization.k8s.io", version: "v1" };
  const answer = (type: { readonly group: string; readonly version: string }, kind: string) =>
    answerWith({ type: { ...type, kind }, clock });
  return new Map<string, Answer>([
    [
      "/serviceaccounts/token",
      answer(
        authentication,
        "TokenRequest",
      )(({ target, object }) => {
        return requestToken({ namespace: target.namespace ?? "", name: target.name ?? "" }, object, issuer);
      }),
    ],
    [
      "authentication.k8s.io/tokenreviews",
      answer(authentication, "TokenReview")(({ object }) => reviewToken(object, authenticator)),
    ],
    [
      "authentication.k8s.io/selfsubjectreviews",
      answer(authentication, "SelfSubjectReview")(({ context }) => reviewSelf(context.user, clock.nowMs())),
    ],
    [
      "authorization.k8s.io/subjectaccessreviews",
      answer(authorization, "SubjectAccessReview")(({ object }) => reviewSubjectAccess(object, authorizer)),
    ],
    [
      "authorization.k8s.io/selfsubjectaccessreviews",
      answer(
        authorization,
        "SelfSubjectAccessReview",
      )(({ object, context }) => reviewSelfAccess(object, context.user, authorizer)),
    ],
    [
      "authorization.k8s.io/localsubjectaccessreviews",
      answer(
        authorization,
        "LocalSubjectAccessReview",
      )(({ object, target }) => reviewLocalAccess(object, target.namespace ?? "", authorizer)),
    ],
    [
      "authorization.k8s.io/selfsubjectrulesreviews",
      answer(
        authorization,
        "SelfSubjectRulesReview",
      )(({ object, context }) => reviewRules(object, context.user, authorizer)),
    ],
    [
      "/pods/binding",
      answer(
        { group: "", version: "v1" },
        "Binding",
      )(({ context, target, object }) => {
        const place = { namespace: target.namespace ?? "", name: target.name ?? "" };
        return bindPod(operations(), context, { place, binding: object, nowMs: clock.nowMs() });
      }),
    ],
    [
      "/bindings",
      answer(
        { group: "", version: "v1" },
        "Binding",
      )(({ context, target, object }) => {
        const place = { namespace: target.namespace ?? "", name: object.metadata.name };
        return bindPod(operations(), context, { place, binding: object, nowMs: clock.nowMs() });
      }),
    ],
    [
      "/pods/eviction",
      answer(
        { group: "policy", version: "v1" },
        "Eviction",
      )(({ context, target, object }) => {
        const place = { namespace: target.namespace ?? "", name: target.name ?? "" };
        return evictPod(operations(), context, { place, eviction: object });
      }),
    ],
  ]);
}
