import type { KubeObject } from "../../model/kubernetes.ts";
import type { UserInfo } from "../auth/auth.ts";
import { formatTime } from "../metadata/system-fields.ts";

/** Who is asking. Source: Kubernetes, pkg/registry/authentication/selfsubjectreview. */
export function reviewSelf(user: UserInfo, nowMs: number): KubeObject {
  const { username, uid, groups, extra } = user;
  return {
    kind: "SelfSubjectReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: formatTime(nowMs) } as KubeObject["metadata"],
    status: {
      userInfo: {
        username,
        ...(uid === undefined ? {} : { uid }),
        groups,
        ...(extra === undefined ? {} : { extra }),
      },
    },
  };
}
