import type { Clock, Random } from "../../core/clock.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../core/read-json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ReadObject } from "../auth/auth.ts";
import { generateName } from "../metadata/system-fields.ts";
import type { AdmissionRequest } from "../operations/admission.ts";
import { mirrorAnnotation } from "../validation/validate-pod.ts";
import { admissionForbidden } from "./admission-forbidden.ts";
import { refusedDebugSecret, refusedSecret, secretsOf } from "./mountable-secrets.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";
const tokenSeconds = 3607;
/** A new namespace's account is made a moment after the namespace. */
const accountWaitMs = 25;
const accountTries = 40;

interface Parts {
  readonly read: ReadObject;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * A new Pod has a service account, its pull secrets and, unless it or the account disables that, the account's
 * credentials as a volume in each container. Throws 403 when there is no such account, and for Secrets that it does not
 * let its Pods use. Source: Kubernetes, plugin/pkg/admission/serviceaccount.
 */
export async function withServiceAccount(
  request: AdmissionRequest & { readonly object: KubeObject },
  parts: Parts,
): Promise<KubeObject> {
  const { object: pod, namespace = "" } = request;
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return checkMirror(request);
  const asked = textAt(pod, "spec", "serviceAccountName") ?? "";
  const name = asked === "" ? "default" : asked;
  const account = await accountOf(request, { namespace, name }, parts);
  const spec = { ...objectAt(pod, "spec"), serviceAccountName: name, serviceAccount: name };
  const secrets = objectsAt(account, "imagePullSecrets");
  const hasSecrets = objectsAt(spec, "imagePullSecrets").length > 0;
  const withSecrets = hasSecrets || secrets.length === 0 ? spec : { ...spec, imagePullSecrets: secrets };
  const complete = { ...pod, spec: isMounted(pod, account) ? withToken(withSecrets, parts.random) : withSecrets };
  const refused = refusedSecret(complete, account);
  if (refused !== undefined) throw admissionForbidden(request, refused);
  return complete;
}

/** Throws 403 for ephemeral containers with Secrets that the Pod's account does not let them use. */
export async function checkDebugSecrets(
  request: AdmissionRequest & { readonly object: KubeObject },
  parts: Parts,
): Promise<void> {
  const { object: pod, namespace = "" } = request;
  const name = textAt(pod, "spec", "serviceAccountName") ?? "";
  if (name === "") {
    throw admissionForbidden(request, `no service account specified for pod ${namespace}/${pod.metadata.name}`);
  }
  const refused = refusedDebugSecret(pod, await accountOf(request, { namespace, name }, parts));
  if (refused !== undefined) throw admissionForbidden(request, refused);
}

async function accountOf(
  request: AdmissionRequest,
  place: { readonly namespace: string; readonly name: string },
  parts: Parts,
): Promise<KubeObject> {
  const account = await findAccount(place, parts);
  if (account !== undefined) return account;
  const { namespace, name } = place;
  const reason = `serviceaccount ${JSON.stringify(name)} not found`;
  throw admissionForbidden(request, `error looking up service account ${namespace}/${name}: ${reason}`);
}

/** A Pod that mirrors a static one stays as its node wrote it, without anything that needs an account. */
function checkMirror(request: AdmissionRequest & { readonly object: KubeObject }): KubeObject {
  const { object: pod } = request;
  if ((textAt(pod, "spec", "serviceAccountName") ?? "") !== "") {
    throw admissionForbidden(request, "a mirror pod may not reference service accounts");
  }
  if (namesSecrets(pod)) throw admissionForbidden(request, "a mirror pod may not reference secrets");
  const sources = objectsAt(pod, "spec", "volumes").flatMap((volume) => objectsAt(volume, "projected", "sources"));
  if (sources.some((source) => "serviceAccountToken" in source)) {
    throw admissionForbidden(request, "a mirror pod may not use ServiceAccountToken volume projections");
  }
  return pod;
}

/** The sources of storage providers, which the hub's nodes do not mount, are not checked. */
function namesSecrets(pod: KubeObject): boolean {
  const containers = ["initContainers", "containers"].flatMap((name) => objectsAt(pod, "spec", name));
  const volumes = objectsAt(pod, "spec", "volumes");
  return (
    objectsAt(pod, "spec", "imagePullSecrets").length > 0 ||
    containers.some((one) => secretsOf(one).length > 0) ||
    volumes.some((one) => objectAt(one, "secret")) ||
    volumes.some((one) => objectsAt(one, "projected", "sources").some((source) => objectAt(source, "secret")))
  );
}

async function findAccount(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { read, clock }: Parts,
): Promise<KubeObject | undefined> {
  for (let tries = 0; ; tries++) {
    const account = read({ group: "", plural: "serviceaccounts", namespace, name });
    // Only the account that comes by itself is worth waiting for.
    if (account !== undefined || name !== "default" || tries === accountTries) return account;
    await clock.sleep(accountWaitMs);
  }
}

function isMounted(pod: KubeObject, account: KubeObject): boolean {
  const podSays = valueAt(pod, "spec", "automountServiceAccountToken");
  if (typeof podSays === "boolean") return podSays;
  return account["automountServiceAccountToken"] !== false;
}

function withToken(spec: JsonObject, random: Random): JsonObject {
  const present = objectsAt(spec, "volumes").find(isTokenVolume);
  const volumeName = textAt(present, "name") ?? generateName(volumePrefix, random);
  let isNeeded = false;
  const withMount = (container: JsonObject): JsonObject => {
    const mounts = objectsAt(container, "volumeMounts");
    if (mounts.some((mount) => textAt(mount, "mountPath") === mountPath)) return container;
    isNeeded = true;
    return { ...container, volumeMounts: [...mounts, { name: volumeName, readOnly: true, mountPath }] };
  };
  const initContainers = objectsAt(spec, "initContainers").map(withMount);
  const containers = objectsAt(spec, "containers").map(withMount);
  const mounted = { ...spec, ...(initContainers.length === 0 ? {} : { initContainers }), containers };
  if (!isNeeded || present !== undefined) return mounted;
  return { ...mounted, volumes: [...objectsAt(spec, "volumes"), tokenVolume(volumeName)] };
}

function isTokenVolume(volume: JsonObject): boolean {
  if (textAt(volume, "name")?.startsWith(volumePrefix) !== true) return false;
  return objectsAt(volume, "projected", "sources").some((source) => "serviceAccountToken" in source);
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
