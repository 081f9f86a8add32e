import type { KubeApi } from "../kube/kube.ts";
import { hubWriterPolicy, writerPolicyVersions } from "../model/hub-writer-policy.ts";
import { installObjects } from "./install-objects.ts";
import { servesPolicies } from "./served-policies.ts";

/** Makes the API server record the users who write declared kinds, if it serves MutatingAdmissionPolicy; else does nothing. */
export async function installWriterPolicy(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  for (const version of writerPolicyVersions) {
    if ((await servesPolicies(hubApi, { version, resource: "mutatingadmissionpolicies" }, signal)) !== true) continue;
    await installObjects(hubApi, hubWriterPolicy(version), signal);
    return;
  }
}
