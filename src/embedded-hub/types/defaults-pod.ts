import type { JsonObject } from "../../core/json.ts";
import type { DefaultRule } from "./default-rule.ts";
import { isEmptyObject, objectAt, objectsAt, textAt, withMissing } from "./default-rule.ts";
import { withPodResources } from "./defaults-pod-resources.ts";

const readableByAll = 420;

/** Pods and what templates of Pods contain. */
export const podDefaults: Readonly<Record<string, DefaultRule>> = {
  "core.Pod": completePod,
  "core.PodSpec": (spec) =>
    withServiceAccount(
      withMissing(spec, {
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        securityContext: {},
        schedulerName: "default-scheduler",
      }),
    ),
  "core.PodStatus": withBothAddresses,
  "core.Container": completeContainer,
  "core.EphemeralContainerCommon": completeContainer,
  "core.Probe": (probe) =>
    withPositive(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  "core.HTTPGetAction": (action) => withMissing(action, { path: "/", scheme: "HTTP" }),
  "core.ObjectFieldSelector": (selector) => withMissing(selector, { apiVersion: "v1" }),
  "core.Volume": (volume) => {
    const sources = Object.keys(volume).filter((key) => key !== "name" && volume[key] !== undefined);
    return sources.length === 0 ? { ...volume, emptyDir: {} } : completeImageVolume(volume);
  },
  "core.SecretVolumeSource": (source) => withMissing(source, { defaultMode: readableByAll }),
  "core.ConfigMapVolumeSource": (source) => withMissing(source, { defaultMode: readableByAll }),
  "core.DownwardAPIVolumeSource": (source) => withMissing(source, { defaultMode: readableByAll }),
  "core.ProjectedVolumeSource": (source) => withMissing(source, { defaultMode: readableByAll }),
  "core.ServiceAccountTokenProjection": (projection) => withMissing(projection, { expirationSeconds: 3600 }),
  "core.HostPathVolumeSource": (source) => withMissing(source, { type: "" }),
};

/** Zero means: not set. */
function withPositive(object: JsonObject, values: Readonly<Record<string, number>>): JsonObject {
  const unset = Object.entries(values).filter(([key]) => (object[key] ?? 0) === 0);
  return { ...object, ...Object.fromEntries(unset) };
}

/** The old and the new name of one field always hold the same. */
function withServiceAccount(spec: JsonObject): JsonObject {
  const name = textAt(spec, "serviceAccountName") || textAt(spec, "serviceAccount");
  return name === "" ? spec : { ...spec, serviceAccountName: name, serviceAccount: name };
}

/** podIP is the first of podIPs. Where they differ, podIP is meant. */
function withBothAddresses(status: JsonObject): JsonObject {
  const [first] = objectsAt(status, "podIPs");
  const own = textAt(status, "podIP");
  const ofList = first === undefined ? "" : textAt(first, "ip");
  if (own === ofList) return status;
  return own === "" ? { ...status, podIP: ofList } : { ...status, podIPs: [{ ip: own }] };
}

/** What holds for a Pod itself and not for a template: requests follow limits, links to services. */
function completePod(pod: JsonObject): JsonObject {
  const spec = withMissing(objectAt(pod, "spec"), { enableServiceLinks: true });
  const isOnHostNetwork = spec["hostNetwork"] === true;
  const complete = (container: JsonObject): JsonObject => {
    const requested = withRequests(container);
    return isOnHostNetwork ? withHostPorts(requested) : requested;
  };
  return {
    ...pod,
    spec: withPodResources({
      ...spec,
      ...(spec["initContainers"] === undefined
        ? {}
        : { initContainers: objectsAt(spec, "initContainers").map(complete) }),
      ...(Array.isArray(spec["containers"]) ? { containers: objectsAt(spec, "containers").map(complete) } : {}),
    }),
  };
}

function withRequests(container: JsonObject): JsonObject {
  const resources = objectAt(container, "resources");
  const limits = objectAt(resources, "limits");
  if (isEmptyObject(limits)) return container;
  return {
    ...container,
    resources: { ...resources, requests: { ...limits, ...objectAt(resources, "requests") } },
  };
}

function withHostPorts(container: JsonObject): JsonObject {
  if (container["ports"] === undefined) return container;
  const ports = objectsAt(container, "ports").map((port) =>
    (port["hostPort"] ?? 0) === 0 ? { ...port, hostPort: port["containerPort"] ?? 0 } : port,
  );
  return { ...container, ports };
}

function completeContainer(container: JsonObject): JsonObject {
  return withMissing(container, {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pullPolicyOf(textAt(container, "image")),
  });
}

function completeImageVolume(volume: JsonObject): JsonObject {
  const image = objectAt(volume, "image");
  if (isEmptyObject(image)) return volume;
  return { ...volume, image: withMissing(image, { pullPolicy: pullPolicyOf(textAt(image, "reference")) }) };
}

/** `latest`, named or meant, may change under the same name. */
function pullPolicyOf(image: string): string {
  const [named = "", digest] = image.split("@");
  const slash = named.lastIndexOf("/");
  const colon = named.indexOf(":", slash + 1);
  const name = colon < 0 ? named : named.slice(0, colon);
  const isValid = name !== "" && !/[A-Z]/u.test(name.slice(slash + 1));
  const tag = colon < 0 ? (digest === undefined ? "latest" : "") : named.slice(colon + 1);
  return isValid && tag === "latest" ? "Always" : "IfNotPresent";
}
