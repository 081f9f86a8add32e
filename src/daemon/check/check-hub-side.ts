import { countOf, oneOrMany } from "../../core/count-of.ts";
import { isAppError } from "../../core/errors.ts";
import { matchesGlob } from "../../core/name-glob.ts";
import { parseJson } from "../../core/parse-json.ts";
import { textAt } from "../../core/read-json.ts";
import { checkDefinitions, checkVersion } from "../../install/check-hub.ts";
import type { KubeApi } from "../../kube/kube.ts";
import { crds } from "../../model/generated/crds.ts";
import { resourceTypes } from "../../model/resource-types.ts";
import { labelKeys } from "../../model/well-known.ts";
import { namedWorkspaces } from "../../settings/named-workspaces.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Finding } from "./check-result.ts";
import type { MissingRights } from "./missing-rights.ts";
import { findMissingRights } from "./missing-rights.ts";
import { neededRights, optionalRights } from "./needed-rights.ts";

const fieldManager = "rollcall-check";
const installRemedy = "Install the chart, or start with rollcall run --install-crds.";

/** The server answers, is new enough, and knows who asks. @throws E_KUBE_*, E_UNSUPPORTED */
export async function checkServer(hubApi: KubeApi, signal: AbortSignal): Promise<string> {
  const { text } = await hubApi.getRaw("/version", { signal });
  checkVersion(hubApi.server, text);
  const version = textAt(parseJson(text), "gitVersion") ?? "of an unknown version";
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: { name: "" } };
  const answer = await hubApi.create(review, { fieldManager, signal });
  const user = textAt(answer, "status", "userInfo", "username");
  return `${hubApi.server} answers, Kubernetes ${version}${user === undefined ? "" : `, as ${user}`}`;
}

/** The definitions are those of this program. @throws E_KUBE_NOT_FOUND, E_KUBE_DEFINITION */
export async function checkHubDefinitions(hubApi: KubeApi, settings: Settings, signal: AbortSignal): Promise<string> {
  try {
    await checkDefinitions(hubApi, signal);
    return `${countOf(crds.length, "definition")} of this version`;
  } catch (error) {
    const isMended = settings.isOn("install-crds") && isAppError(error, "E_KUBE_NOT_FOUND", "E_KUBE_DEFINITION");
    if (!isMended) throw error;
    return "missing or older; rollcall run installs them (--install-crds)";
  }
}

/** The namespaces that the daemon works in, by their label and by --workspaces. */
export async function listWorkspaces(
  hubApi: KubeApi,
  settings: Settings,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const limit = settings.list("workspaces");
  const listed = { labelSelector: labelKeys.workspace, signal };
  const { items } = await hubApi.list(resourceTypes.namespace, listed);
  const labelled = items.map(({ metadata }) => metadata.name);
  if (limit === undefined) return labelled;
  return labelled.filter((name) => limit.some((pattern) => matchesGlob(pattern, name)));
}

/** Each workspace that an option names has its namespace with the label, and without names there is one at least. */
export function checkWorkspaces(settings: Settings, workspaces: readonly string[]): Finding {
  const missing = namedWorkspaces(settings).filter((name) => !workspaces.includes(name));
  const [first] = missing.length > 0 ? missing : workspaces.length > 0 ? [] : ["NAMESPACE"];
  if (first === undefined) return { message: `${countOf(workspaces.length, "workspace")}: ${workspaces.join(", ")}` };
  if (missing.length > 0 && settings.isOn("install-crds"))
    return { message: `missing: ${missing.join(", ")}; rollcall run makes what no namespace is named yet` };
  const message =
    missing.length > 0
      ? `no namespace with the label ${labelKeys.workspace} is named ${missing.join(", ")}`
      : `no namespace has the label ${labelKeys.workspace}`;
  return {
    state: "failed",
    message,
    remedy: `Run: kubectl create namespace ${first}; kubectl label namespace ${first} ${labelKeys.workspace}=true`,
  };
}

/** The caller has every right that a daemon with these settings needs. Rights that it does without are named. */
export async function checkRights(
  hubApi: KubeApi,
  settings: Settings,
  { workspaces, signal }: { readonly workspaces: readonly string[]; readonly signal: AbortSignal },
): Promise<Finding> {
  const missing = await findMissingRights(hubApi, neededRights(settings, workspaces), signal);
  if (missing.length === 0) {
    const message = "every right that these options need";
    const unheld = await findMissingRights(hubApi, optionalRights(settings), signal);
    if (unheld.length === 0) return { message };
    const effect = "without those below, a published Secret is removed only after --publish-removal-timeout";
    return { message: `${message}; ${effect}`, details: unheld.flatMap(linesOfPlace) };
  }
  const count = missing.reduce((sum, { lines }) => sum + lines.length, 0);
  return {
    state: "failed",
    message: `${countOf(count, "rule")} of ${countOf(missing.length, "place")} ${oneOrMany(count, "is", "are")} missing`,
    details: missing.flatMap(linesOfPlace),
    remedy: "Bind the roles of docs/rbac.md to this user; the chart does it for the daemon's account.",
  };
}

function linesOfPlace({ namespace, lines }: MissingRights): string[] {
  const place = namespace === undefined ? "in the whole hub" : `in namespace ${namespace}`;
  return lines.map((line) => `${place}: ${line}`);
}

/** Who leads, where a daemon runs. */
export async function checkLeader(hubApi: KubeApi, settings: Settings, signal: AbortSignal): Promise<Finding> {
  const namespace = settings.requiredText("namespace");
  if (!(await hubApi.get({ type: resourceTypes.namespace, name: namespace }, { signal }).catch(asThere))) {
    if (settings.isOn("install-crds")) return { message: `namespace ${namespace} is missing; rollcall run makes it` };
    return { state: "failed", message: `namespace ${namespace} is not on the hub`, remedy: installRemedy };
  }
  const lease = await hubApi.get({ type: resourceTypes.lease, namespace, name: "rollcall-hub" }, { signal });
  const holder = textAt(lease, "spec", "holderIdentity");
  if (holder === undefined || holder === "") return { message: `no daemon leads in namespace ${namespace}` };
  return { message: `${holder} leads in namespace ${namespace}, since ${textAt(lease, "spec", "acquireTime") ?? "?"}` };
}

/** A daemon needs no right to read namespaces by name; what follows shows whether this one is there. */
function asThere(error: unknown): true {
  if (isAppError(error, "E_KUBE_FORBIDDEN")) return true;
  throw error;
}
