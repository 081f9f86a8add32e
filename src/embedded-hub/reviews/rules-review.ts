import { textAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { UserInfo } from "../auth/auth.ts";
import { aggregate } from "../../core/formats/go-text.ts";
import type { RbacAuthorizer } from "../auth/rbac-authorizer.ts";
import { badRequest } from "../failures/failures.ts";

/** What the one who asks may do in a namespace. Source: Kubernetes, pkg/registry/authorization/selfsubjectrulesreview. */
export function reviewRules(review: KubeObject, user: UserInfo, authorizer: RbacAuthorizer): KubeObject {
  const namespace = textAt(review, "spec", "namespace") ?? "";
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, errors } = authorizer.rulesFor(user, namespace);
  const resourceRules = rules
    .filter(({ resources }) => resources.length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    }));
  const nonResourceRules = rules
    .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  const { apiVersion, kind } = review;
  return {
    kind,
    apiVersion,
    // Nothing of what was sent.
    metadata: {} as KubeObject["metadata"],
    spec: {},
    status: {
      resourceRules,
      nonResourceRules,
      // A role that does not exist gives no rights: nothing is missing. Clients warn of a list that is incomplete.
      incomplete: false,
      ...(errors.length === 0 ? {} : { evaluationError: aggregate(errors) }),
    },
  };
}
