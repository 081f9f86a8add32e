import type { Request } from "./replay.ts";

const pods = "/api/v1/namespaces/NS/pods";
const merge = "application/merge-patch+json";

function pod(name: string, spec: object): object {
  return {
    metadata: { name },
    spec: {
      schedulerName: "none",
      automountServiceAccountToken: false,
      containers: [{ name: "main", image: "none" }],
      ...spec,
    },
  };
}

function bind(name: string, metadata: object = {}, node = "differential-node"): Request {
  const body = { metadata: { name, ...metadata }, target: { kind: "Node", name: node } };
  return { method: "POST", path: `${pods}/${name}/binding`, body };
}

const account: Request = {
  method: "POST",
  path: "/api/v1/namespaces/NS/serviceaccounts",
  body: { metadata: { name: "default" } },
};

/** What a scheduler does, and what a debugger does after it. */
export const bindingRequests: readonly Request[] = [
  account,
  { method: "POST", path: pods, body: pod("a", {}) },
  bind("a", { uid: "00000000-0000-0000-0000-000000000000" }),
  bind("a", { annotations: { by: "hand" }, labels: { zone: "a" } }),
  { method: "GET", path: `${pods}/a` },
  bind("a"),
  {
    method: "PATCH",
    path: `${pods}/a/ephemeralcontainers`,
    contentType: merge,
    body: { spec: { ephemeralContainers: [{ name: "debug", image: "none", terminationMessagePolicy: "File" }] } },
  },
  { method: "GET", path: `${pods}/a/ephemeralcontainers` },
  {
    method: "PATCH",
    path: `${pods}/a/ephemeralcontainers`,
    contentType: merge,
    body: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "other" }] } },
  },
  {
    method: "PATCH",
    path: `${pods}/a/ephemeralcontainers`,
    contentType: merge,
    body: { spec: { ephemeralContainers: null } },
  },
  { method: "POST", path: pods, body: pod("gated", { schedulingGates: [{ name: "example.org/quota" }] }) },
  bind("gated"),
  { method: "GET", path: `${pods}/gated` },
  bind("absent"),
];

const parameters = (...names: readonly string[]) => ({
  securityContext: { sysctls: names.map((name) => ({ name, value: "1" })) },
});

const odd = ["foo-", "kernel.shmmax", "bar..", "", "kernel.shmmax", "net/ipv4/a.b", "Net.a", "a".repeat(254)];
const shared = ["net.ipv4.x", "net/a", "kernel.shmmax", "kernel.msgmni", "kernel.sem", "fs.mqueue.a", "vm.x", "net"];

/** Kernel parameters of Pods and of templates. */
export const sysctlRequests: readonly Request[] = [
  account,
  { method: "POST", path: pods, body: pod("odd", parameters(...odd)) },
  { method: "POST", path: pods, body: pod("shared", { hostNetwork: true, hostIPC: true, ...parameters(...shared) }) },
  { method: "POST", path: pods, body: pod("own", parameters(...shared)) },
  {
    method: "POST",
    path: "/apis/apps/v1/namespaces/NS/deployments",
    body: {
      metadata: { name: "odd" },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: { containers: [{ name: "main", image: "none" }], ...parameters(...odd) },
        },
      },
    },
  },
];

/** A grace period below zero is one of a second. */
export const graceRequests: readonly Request[] = [
  account,
  { method: "POST", path: pods, body: pod("a", { terminationGracePeriodSeconds: -3 }) },
  { method: "GET", path: `${pods}/a` },
  { method: "PATCH", path: `${pods}/a`, contentType: merge, body: { spec: { terminationGracePeriodSeconds: -9 } } },
  // kube-controller-manager ends Pods of a missing Node 40 s after it first saw one: a Node that had no Pod before.
  bind("a", {}, "differential-node-of-grace"),
  { method: "DELETE", path: `${pods}/a?gracePeriodSeconds=-7` },
];
