// reviews: kinds and subresources that store nothing: what is posted is answered. One function a kind; this file is the
// table of them.
import type { Clock } from "../../core/clock.ts";
import type { Authenticator } from "../auth/auth.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import type { TokenIssuer } from "../auth/token-request.ts";
import { requestToken } from "../auth/token-request.ts";
import type { Admission } from "../operations/admission.ts";
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
  /** Evaluates what has an effect: tokens, bindings, evictions. */
  readonly admission: Admission;
  readonly clock: Clock;
  /** The verbs; asked when something is answered, for they are made after the answers. */
  readonly operations: () => Operations;
}

/** The answers by `<group>/<plural>` or `<group>/<plural>/<subresource>`. */
export function createAnswers(options: AnswersOptions): ReadonlyMap<string, Answer> {
  return new Map<string, Answer>([...identityAnswers(options), ...accessAnswers(options), ...podAnswers(options)]);
}

type Entries = readonly (readonly [key: string, answer: Answer])[];

/** Who a token or a request belongs to, and new tokens. */
function identityAnswers({ authenticator, issuer, clock, admission }: AnswersOptions): Entries {
  const typeOf = (kind: string) => ({ group: "authentication.k8s.io", version: "v1", kind });
  const answer = (kind: string) => answerWith({ type: typeOf(kind), clock });
  return [
    [
      "/serviceaccounts/token",
      answerWith({ type: typeOf("TokenRequest"), clock, admission })(({ target, object }) =>
        requestToken({ namespace: target.namespace ?? "", name: target.name ?? "" }, object, issuer),
      ),
    ],
    ["authentication.k8s.io/tokenreviews", answer("TokenReview")(({ object }) => reviewToken(object, authenticator))],
    [
      "authentication.k8s.io/selfsubjectreviews",
      answer("SelfSubjectReview")(({ context }) => reviewSelf(context.user, clock.nowMs())),
    ],
  ];
}

/** What a user may do. */
function accessAnswers({ authorizer, clock }: AnswersOptions): Entries {
  const answer = (kind: string) => answerWith({ type: { group: "authorization.k8s.io", version: "v1", kind }, clock });
  return [
    [
      "authorization.k8s.io/subjectaccessreviews",
      answer("SubjectAccessReview")(({ object }) => reviewSubjectAccess(object, authorizer)),
    ],
    [
      "authorization.k8s.io/selfsubjectaccessreviews",
      answer("SelfSubjectAccessReview")(({ object, context }) => reviewSelfAccess(object, context.user, authorizer)),
    ],
    [
      "authorization.k8s.io/localsubjectaccessreviews",
      answer("LocalSubjectAccessReview")(({ object, target }) =>
        reviewLocalAccess(object, target.namespace ?? "", authorizer),
      ),
    ],
    [
      "authorization.k8s.io/selfsubjectrulesreviews",
      answer("SelfSubjectRulesReview")(({ object, context }) => reviewRules(object, context.user, authorizer)),
    ],
  ];
}

/** What is posted about a Pod: where it runs, and that it is to stop. */
function podAnswers({ clock, operations, admission }: AnswersOptions): Entries {
  const binding = answerWith({ type: { group: "", version: "v1", kind: "Binding" }, clock, admission });
  const evictionType = { group: "policy", version: "v1", kind: "Eviction", olderVersions: ["v1beta1"] };
  const eviction = answerWith({ type: evictionType, clock, admission });
  return [
    [
      "/pods/binding",
      binding(({ context, target, object }) => {
        const place = { namespace: target.namespace ?? "", name: target.name ?? "" };
        return bindPod(operations(), context, { place, binding: object });
      }),
    ],
    [
      "/bindings",
      binding(({ context, target, object }) => {
        const place = { namespace: target.namespace ?? "", name: object.metadata.name };
        return bindPod(operations(), context, { place, binding: object });
      }),
    ],
    [
      "/pods/eviction",
      eviction(({ context, target, object }) => {
        const place = { namespace: target.namespace ?? "", name: target.name ?? "" };
        return evictPod(operations(), context, { place, eviction: object, nowMs: clock.nowMs() });
      }),
    ],
  ];
}
