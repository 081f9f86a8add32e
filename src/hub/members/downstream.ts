import { digestJson, sha256Hex } from "../../core/digest.ts";
import type { AppError } from "../../core/errors.ts";
import { describeError, isAppError } from "../../core/errors.ts";
import { isJsonEqual } from "../../core/json.ts";
import type { JoinProtocol } from "../../join/join.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { MemberInstall } from "../../model/member-state.ts";
import { asFound } from "../../model/as-found.ts";
import type { KubeObject, ObjectRef } from "../../model/kubernetes.ts";
import { describeRef, refOf } from "../../model/kubernetes.ts";
import type { HubFacts, Member } from "../../model/member.ts";
import { resourceTypeOf, resourceTypes } from "../../model/resource-types.ts";
import { fieldManagers } from "../../model/well-known.ts";
import type { InstallState } from "../../planning/cluster-status-inputs.ts";
import { toTime } from "../../planning/conditions.ts";
import type { HubPorts } from "../hub-ports.ts";
import { secretValue } from "../issue-credential.ts";

/** The values by which the agent joins, and their number. */
export type PendingBootstrap = NonNullable<ReturnType<JoinProtocol["pendingBootstrap"]>>;

export type Kubeconfig =
  | { readonly kind: "none" }
  | { readonly kind: "missing"; readonly state: InstallState }
  | { readonly kind: "found"; readonly text: string; readonly digest: string };

/** The kubeconfig that a Cluster refers to, as it is now. */
export function readKubeconfig(view: Pick<HubPorts["view"], "get">, member: Member): Kubeconfig {
  const ref = member.cluster.spec?.kubeConfigSecretRef;
  if (!ref) return { kind: "none" };
  const key = ref.key ?? "value";
  const secret = view.get({ type: resourceTypes.secret, namespace: member.workspace, name: ref.name });
  if (!secret)
    return missing("KubeconfigMissing", `Secret ${member.workspace}/${ref.name} with the kubeconfig does not exist.`);
  const text = secretValue(secret, key);
  if (text === undefined)
    return missing("KubeconfigMissing", `Secret ${member.workspace}/${ref.name} has no key "${key}".`);
  return { kind: "found", text, digest: sha256Hex(text) };
}

/**
 * Installs the agent downstream, by the Cluster's kubeconfig. All objects are applied in order with manager
 * rollcall-hub; a repetition changes nothing. An existing namespace is not changed, or its label would have it deleted
 * with the agent. When the agent moves to another namespace, the objects that it left there are deleted after the new
 * ones exist; what has no namespace serves the agent in its new one, too. Optional objects that the Cluster no longer asks
 * for are deleted. Undefined while its namespace is still being deleted with a removed agent: no object can be created in
 * it.
 */
export async function installDownstream(
  { hubFacts, clock, log }: Pick<HubPorts, "hubFacts" | "clock" | "log">,
  protocol: JoinProtocol,
  options: {
    readonly member: Member;
    readonly downstreamApi: KubeApi;
    readonly kubeconfigDigest: string;
    readonly bootstrap: PendingBootstrap;
    /** Called before the first object is applied, with the agent's namespace as far as it is known. */
    readonly onBegin: (namespace: string | undefined) => Promise<void>;
    readonly signal: AbortSignal;
  },
): Promise<MemberInstall | undefined> {
  const { member, downstreamApi, bootstrap, signal } = options;
  const manifest = protocol.agentManifest(member, hubFacts(), bootstrap.values);
  const former = member.state?.install?.namespace;
  // A manifest without a Deployment brings the agent of a paused member a new token: the agent stays where it is.
  const namespace = manifest.find(({ kind }) => kind === "Deployment")?.metadata.namespace ?? former;
  let hasBegun = false;
  for (const object of manifest) {
    const live = object.kind === "Namespace" ? await readNamespace(downstreamApi, object, signal) : undefined;
    if (live?.metadata.deletionTimestamp !== undefined) return undefined;
    if (live !== undefined && !isOurs(live)) continue;
    if (!hasBegun) await options.onBegin(namespace);
    hasBegun = true;
    if (object.kind === "PriorityClass") await deleteOtherPriority(downstreamApi, object, signal);
    // A namespace that another team makes meanwhile, or in place of ours, would be deleted with the agent: the next try sees it.
    const body = object.kind === "Namespace" ? asFound(object, live) : object;
    await downstreamApi.apply(body, { fieldManager: fieldManagers.hub, signal });
  }
  const inUse = new Set(refsOf(manifest).map(describeRef));
  const left = [
    ...protocol.optionalObjects(member),
    ...(former === undefined || former === namespace
      ? []
      : agentRefs(protocol, { member: inNamespace(member, former), hub: hubFacts() })),
  ];
  for (const ref of left.filter((candidate) => !inUse.has(describeRef(candidate))))
    await deleteOurs(downstreamApi, ref, { propagation: "Background", signal });
  log.info("agent installed", { cluster: `${member.workspace}/${member.name}`, server: downstreamApi.server });
  return {
    manifestDigest: digestJson(protocol.agentManifest(member, hubFacts())),
    kubeconfigDigest: options.kubeconfigDigest,
    redeployGeneration: member.cluster.spec?.agent?.redeployGeneration ?? 0,
    time: toTime(clock.nowMs()),
    bootstrap: bootstrap.number,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

function readNamespace(
  downstreamApi: KubeApi,
  { metadata: { name } }: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  return downstreamApi.get({ type: resourceTypes.namespace, name }, { signal });
}

/** An API server changes no value of a PriorityClass, so one with another value is deleted first. Pods that run keep theirs. */
async function deleteOtherPriority(downstreamApi: KubeApi, wanted: KubeObject, signal: AbortSignal): Promise<void> {
  const ref = { type: resourceTypes.priorityClass, name: wanted.metadata.name };
  const live = await downstreamApi.get(ref, { signal });
  const ofPriority = (of: KubeObject): unknown[] => [of["value"], of["preemptionPolicy"] ?? "PreemptLowerPriority"];
  if (live === undefined || isJsonEqual(ofPriority(live), ofPriority(wanted))) return;
  await deleteOurs(downstreamApi, ref, { propagation: "Background", signal });
}

/** The agent's objects downstream, in the order of their deletion. */
function agentRefs(
  protocol: JoinProtocol,
  { member, hub }: { readonly member: Member; readonly hub: HubFacts },
): ObjectRef[] {
  return [...protocol.optionalObjects(member), ...refsOf(protocol.agentManifest(member, hub)).reverse()];
}

function refsOf(objects: readonly KubeObject[]): ObjectRef[] {
  return objects.flatMap((object) => {
    const type = resourceTypeOf(object);
    return type === undefined ? [] : [refOf(type, object)];
  });
}

function inNamespace(member: Member, namespace: string): Member {
  const { cluster } = member;
  const spec = { ...cluster.spec, agent: { ...cluster.spec?.agent, namespace } };
  return { ...member, cluster: { ...cluster, spec } };
}

/**
 * Removes the agent's objects downstream that have our managed-by label: first its Deployment with its Pods and, once
 * they are deleted, the rest. True when all are deleted or are being deleted without us.
 */
export async function uninstallAgent(
  downstreamApi: KubeApi,
  refs: readonly ObjectRef[],
  signal: AbortSignal,
): Promise<boolean> {
  const isWorkload = (ref: ObjectRef): boolean => ref.type === resourceTypes.deployment;
  for (const ref of refs.filter(isWorkload)) {
    await deleteOurs(downstreamApi, ref, { propagation: "Foreground", signal });
    if ((await downstreamApi.get(ref, { signal })) !== undefined) return false;
  }
  for (const ref of refs.filter((candidate) => !isWorkload(candidate))) {
    await deleteOurs(downstreamApi, ref, { propagation: "Background", signal });
  }
  return true;
}

async function deleteOurs(
  downstreamApi: KubeApi,
  ref: ObjectRef,
  options: { readonly propagation: "Foreground" | "Background"; readonly signal: AbortSignal },
): Promise<void> {
  const live = await downstreamApi.get(ref, { signal: options.signal });
  if (!live || !isOurs(live) || live.metadata.deletionTimestamp !== undefined) return;
  const { uid, resourceVersion } = live.metadata;
  // A team that takes it over meanwhile takes our label away, or gives it another value.
  const seen = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  await downstreamApi.delete(ref, { ...options, ...seen });
}

function isOurs(object: KubeObject): boolean {
  return object.metadata.labels?.["app.kubernetes.io/managed-by"] === "rollcall";
}

/** The state of an installation after a failed try, with a text for the Cluster's conditions. */
export function failedInstall(error: unknown, server: string): InstallState {
  if (!isAppError(error)) return { kind: "pending", reason: "InstallFailed", message: describeError(error) };
  const { kind, reason } = classify(error);
  return { kind, reason, message: `${error.message} (${error.code}, ${server})` };
}

function classify(error: AppError): Pick<InstallState, "kind" | "reason"> {
  switch (error.code) {
    case "E_KUBECONFIG":
      return { kind: "failed", reason: "KubeconfigRefused" };
    case "E_KUBE_UNAUTHORIZED":
      return { kind: "failed", reason: "KubeconfigUnauthorized" };
    case "E_KUBE_FORBIDDEN":
      return { kind: "failed", reason: "KubeconfigForbidden" };
    case "E_KUBE_TLS":
      return { kind: "failed", reason: "DownstreamCertificateNotTrusted" };
    case "E_KUBE_UNREACHABLE":
      return { kind: "pending", reason: "DownstreamUnreachable" };
    default:
      return { kind: error.recovery === "stalled" ? "failed" : "pending", reason: "InstallFailed" };
  }
}

function missing(reason: string, message: string): Kubeconfig {
  return { kind: "missing", state: { kind: "pending", reason, message } };
}
