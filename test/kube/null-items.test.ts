import process from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { objectAt, objectsAt } from "../../src/core/read-json.ts";
import { inKeyOrder } from "./differential/replay.ts";
import type { Answer } from "./differential/replay.ts";
import { sendToBoth, twoHubs } from "../support/two-hubs.ts";

const namespace = `null-items-${process.pid}`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

const main = { name: "main", image: "none" };
const container = (fields: JsonObject): JsonObject => ({ containers: [{ ...main, ...fields }] });
const initContainer = (fields: JsonObject): JsonObject => ({
  initContainers: [{ name: "first", image: "none", ...fields }],
});
const claims = { resourceClaims: [{ name: "gpu", resourceClaimName: "one" }] };
const device = { name: "disk", devicePath: "/dev/a" };
const disk = { volumes: [{ name: "disk", persistentVolumeClaim: { claimName: "disk" } }] };
const rule = { action: "Restart", exitCodes: { operator: "In", values: [1] } };
const podTerm = { topologyKey: "zone" };

/** What a Pod has beside one container and what admission adds. */
const specs: Readonly<Record<string, JsonObject>> = {
  "a null device": container({ volumeDevices: [null] }),
  "a null device of an init container": initContainer({ volumeDevices: [null] }),
  "devices without a claim": container({ volumeDevices: [device, device, { name: "disk" }, { devicePath: "../a" }] }),
  "devices of a claim": {
    ...disk,
    ...container({ volumeDevices: [device, device, { ...device, devicePath: "../a" }] }),
  },
  "a device of a volume that is none": { volumes: [{ name: "disk" }], ...container({ volumeDevices: [device] }) },
  "a device that is mounted": {
    ...disk,
    ...container({ volumeDevices: [device], volumeMounts: [{ name: "disk", mountPath: "/dev/a" }] }),
  },
  "a null claim": { resourceClaims: [null] },
  "odd claims": {
    resourceClaims: [
      ...[{ name: "a" }, { name: "a", resourceClaimName: "one" }, { name: "A", resourceClaimName: "A/" }, null, null],
      { name: "b", resourceClaimName: "one", resourceClaimTemplateName: "two" },
      { name: "c", resourceClaimTemplateName: "" },
    ],
  },
  "a null claim of a container": { ...claims, ...container({ resources: { claims: [null] } }) },
  "claims of a container": {
    ...claims,
    ...container({
      resources: { claims: [{ name: "gpu" }, { name: "gpu" }, { name: "gpu", request: "a" }, { name: "none" }] },
    }),
  },
  "requests of claims of a container": {
    ...claims,
    ...container({
      resources: {
        claims: ["a", "a", "b", undefined, "A"].map((request) =>
          request === undefined ? { name: "gpu" } : { name: "gpu", request },
        ),
      },
    }),
  },
  "claims of a container of a Pod without": container({ resources: { claims: [{ name: "gpu" }] } }),
  "odd policies of resizes": {
    restartPolicy: "Never",
    ...container({
      resizePolicy: [
        ...[
          { resourceName: "cpu", restartPolicy: "NotRequired" },
          { resourceName: "cpu", restartPolicy: "RestartContainer" },
        ],
        { resourceName: "odd", restartPolicy: "Odd" },
      ],
    }),
  },
  "rules of restarts": container({ restartPolicy: "Never", restartPolicyRules: [rule] }),
  "rules of restarts of an init container": initContainer({ restartPolicy: "Always", restartPolicyRules: [rule] }),
  "a null rule of restarts": container({ restartPolicyRules: [null] }),
  "a policy of restarts of a container": container({ restartPolicy: "OnFailure" }),
  "odd policies of restarts": { ...container({ restartPolicy: "Odd" }), ...initContainer({ restartPolicy: "Never" }) },
  ...Object.fromEntries(
    ["podAffinity", "podAntiAffinity"].flatMap((name) => [
      [`null terms of ${name}`, { affinity: { [name]: { [required]: [null], [preferred]: [null] } } }],
      [`terms after null ones of ${name}`, { affinity: { [name]: { [required]: [null, podTerm, null] } } }],
      [
        `odd keys of labels of ${name}`,
        {
          affinity: {
            [name]: { [required]: [{ ...podTerm, matchLabelKeys: ["a", "A/", ""], mismatchLabelKeys: ["a"] }] },
          },
        },
      ],
      [
        `keys of labels and selectors of ${name}`,
        {
          affinity: {
            [name]: {
              [required]: [
                { ...podTerm, matchLabelKeys: ["app"], labelSelector: { matchLabels: { app: "a" } } },
                { ...podTerm, matchLabelKeys: ["app"], labelSelector: {} },
                { ...podTerm, matchLabelKeys: ["a", "A/", null], mismatchLabelKeys: ["a"], labelSelector: {} },
                {
                  ...podTerm,
                  matchLabelKeys: ["b", "app"],
                  labelSelector: { matchLabels: { app: "a" }, matchExpressions: [{ key: "app", operator: "Exists" }] },
                },
              ],
            },
          },
        },
      ],
    ]),
  ),
  "null terms of nodeAffinity": {
    affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: [null] }, [preferred]: [null] } },
  },
  "a null constraint": { topologySpreadConstraints: [null] },
  "null secrets to pull with": { imagePullSecrets: [null] },
  "several secrets to pull with": { imagePullSecrets: [{ name: "a" }, null] },
  "a null toleration": { tolerations: [null] },
  "a null alias": { hostAliases: [null] },
  "null gates": { readinessGates: [null], schedulingGates: [null] },
  "null containers": { containers: [null], initContainers: [null], ephemeralContainers: [null] },
  "null volumes": { volumes: [null] },
  "null items of a container": container({ env: [null], envFrom: [null], ports: [null], volumeMounts: [null] }),
  "a null policy of resizes": container({ resizePolicy: [null] }),
  "a null option of names": { dnsConfig: { options: [null], nameservers: [null], searches: [null] } },
  "a null parameter": { securityContext: { sysctls: [null], supplementalGroups: [null] } },
};

describe("null items of lists, beside kube-apiserver", () => {
  const clients = twoHubs();
  beforeAll(async () => {
    await sendToBoth(clients, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  });

  /** Of a success what is stored and who owns it, of a refusal what it names. */
  function seenOf({ code, body }: Answer): Json {
    if (code >= 300) return [code, objectsAt(body, "details", "causes").map((cause) => JSON.stringify(cause))];
    const owners = objectsAt(body, "metadata", "managedFields").map((entry) => entry["fieldsV1"] ?? null);
    return [code, inKeyOrder([objectAt(body, "spec") ?? null, owners]) as Json];
  }

  const own = {
    automountServiceAccountToken: false,
    serviceAccountName: "default",
    schedulerName: "none",
    containers: [main],
  };

  it.each(Object.keys(specs))("%s", async (title) => {
    const spec = { ...own, ...specs[title] };
    const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "one" }, spec };
    const [here, there] = await Promise.all(
      clients.map(async (client) => seenOf(await client.send({ method: "POST", path: `${pods}?dryRun=All`, body }))),
    );
    expect(here).toEqual(there);
  });

  it.each(Object.keys(specs))("%s in a template", async (title) => {
    const labels = { app: "a" };
    const template = { metadata: { labels }, spec: { ...own, ...specs[title] } };
    const spec = { selector: { matchLabels: labels }, template };
    const body = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "one" }, spec };
    const path = `/apis/apps/v1/namespaces/${namespace}/replicasets?dryRun=All`;
    const [here, there] = await Promise.all(
      clients.map(async (client) => seenOf(await client.send({ method: "POST", path, body }))),
    );
    expect(here).toEqual(there);
  });
});
