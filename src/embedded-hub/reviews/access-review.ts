import { objectAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Authorizer, RequestAttributes, UserInfo } from "../auth/auth.ts";
import { invalid } from "../failures/failures.ts";
import type { FieldError } from "../schema/schema.ts";
import { selectorProblems } from "./selector-problems.ts";
import { validateLocalReview, validateSelfReview, validateSubjectReview } from "./validate-access-review.ts";

const group = "authorization.k8s.io";

/** Source: Kubernetes, pkg/registry/authorization/subjectaccessreview. Throws 422. */
export function reviewSubjectAccess(review: KubeObject, authorizer: Authorizer): KubeObject {
  refuse(validateSubjectReview(review));
  return decide(review, subjectOf(review), authorizer);
}

/** The same about the one who asks. */
export function reviewSelfAccess(review: KubeObject, user: UserInfo, authorizer: Authorizer): KubeObject {
  refuse(validateSelfReview(review));
  return decide(review, user, authorizer);
}

/** The same within one namespace. */
export function reviewLocalAccess(review: KubeObject, namespace: string, authorizer: Authorizer): KubeObject {
  refuse(validateLocalReview(review, namespace));
  return decide({ ...review, metadata: { ...review.metadata, namespace } }, subjectOf(review), authorizer);
}

function decide(review: KubeObject, user: UserInfo, authorizer: Authorizer): KubeObject {
  const { isAllowed, reason } = authorizer.authorize(attributesOf(review, user));
  const evaluationError = selectorProblems(review);
  const status = {
    allowed: isAllowed,
    ...(reason === "" ? {} : { reason }),
    ...(evaluationError === "" ? {} : { evaluationError }),
  };
  return { ...review, status };
}

function attributesOf(review: KubeObject, user: UserInfo): RequestAttributes {
  const path = objectAt(review, "spec", "nonResourceAttributes");
  if (path !== undefined) {
    return { kind: "path", user, verb: textAt(path, "verb") ?? "", path: textAt(path, "path") ?? "" };
  }
  const resource = objectAt(review, "spec", "resourceAttributes");
  const text = (field: string) => textAt(resource, field) ?? "";
  const optional = (field: string) => (text(field) === "" ? {} : { [field]: text(field) });
  return {
    kind: "resource",
    user,
    verb: text("verb"),
    group: text("group"),
    version: text("version"),
    resource: text("resource"),
    ...optional("subresource"),
    ...optional("namespace"),
    ...optional("name"),
  };
}

function subjectOf(review: KubeObject): UserInfo {
  const uid = textAt(review, "spec", "uid");
  const extra = objectAt(review, "spec", "extra") ?? {};
  return {
    username: textAt(review, "spec", "user") ?? "",
    groups: textsAt(review, "spec", "groups"),
    ...(uid === undefined ? {} : { uid }),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}

function refuse(errors: readonly FieldError[]): void {
  // Without a kind, as kube-apiserver's own message has it.
  if (errors.length > 0) throw invalid({ group, kind: "", name: "" }, errors);
}
