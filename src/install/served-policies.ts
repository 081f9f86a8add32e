import { AppError } from "../core/errors.ts";
import { objectsAt, textAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import type { KubeApi } from "../kube/kube.ts";

/** Whether the API server names a resource of admission policies in `version`; undefined when its answer does not contain it. */
export async function servesPolicies(
  hubApi: Pick<KubeApi, "getRaw">,
  { version, resource }: { readonly version: string; readonly resource: string },
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { status, text } = await hubApi.getRaw(`/apis/admissionregistration.k8s.io/${version}`, { signal });
  if (status === 404) return false;
  if (status !== 200) return undefined;
  return objectsAt(parseJson(text), "resources").some((served) => textAt(served, "name") === resource);
}

/**
 * Whether the hub is known to have no ValidatingAdmissionPolicy of version v1, as Kubernetes 1.29. Where the answer does not
 * contain it, the hub is assumed to have them: a policy that cannot be written is an error, and one that is missing is not seen.
 */
export async function lacksValidatingPolicies(hubApi: Pick<KubeApi, "getRaw">, signal: AbortSignal): Promise<boolean> {
  const wanted = { version: "v1", resource: "validatingadmissionpolicies" };
  return (await servesPolicies(hubApi, wanted, signal)) === false;
}

/**
 * Refuses to serve a protocol whose agents only policies hold apart. Call it before anything is written.
 * @throws E_UNSUPPORTED on a hub without them
 */
export async function requireValidatingPolicies(
  hubApi: Pick<KubeApi, "getRaw" | "server">,
  protocol: string,
  signal: AbortSignal,
): Promise<void> {
  if (!(await lacksValidatingPolicies(hubApi, signal))) return;
  const message = `serve ${protocol} on the hub ${hubApi.server}: it has no ValidatingAdmissionPolicy, which holds agents apart`;
  const remedy = "Upgrade the hub to Kubernetes 1.30 or newer, or leave out the option that serves the protocol.";
  throw new AppError("E_UNSUPPORTED", message, { remedy });
}
