import { objectsAt, textAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import { hubWriterPolicy, writerPolicyVersions } from "../model/hub-writer-policy.ts";
import { installObjects } from "./install-objects.ts";

/** Makes the API server record the users who write declared kinds, if it serves MutatingAdmissionPolicy; else does nothing. */
export async function installWriterPolicy(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  for (const version of writerPolicyVersions) {
    if (!(await isServed(hubApi, version, signal))) continue;
    await installObjects(hubApi, hubWriterPolicy(version), signal);
    return;
  }
}

async function isServed(hubApi: KubeApi, version: string, signal: AbortSignal): Promise<boolean> {
  const { status, text } = await hubApi.getRaw(`/apis/admissionregistration.k8s.io/${version}`, { signal });
  if (status !== 200) return false;
  return objectsAt(parseJson(text), "resources").some(
    (resource) => textAt(resource, "name") === "mutatingadmissionpolicies",
  );
}
