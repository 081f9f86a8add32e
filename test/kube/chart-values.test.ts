import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { isJsonObject } from "../../src/core/json.ts";
import { findHelm, noHelmReason, renderChart } from "../support/helm.ts";
import type { ChartName } from "../support/helm.ts";

type Change = readonly [name: string, values: JsonObject];

const hub: JsonObject = {
  options: { repo: "https://git.example.com/fleet", pageAddress: ":8081" },
  publish: { argocd: "argocd" },
  hub: { url: "https://hub.example.com" },
  git: { secretName: "git" },
  serviceMonitor: { create: true },
  page: {
    host: "rollcall.example.com",
    ingress: { create: true },
    httpRoute: { create: true, parentRefs: [{ name: "public" }] },
    backend: { name: "oauth2-proxy" },
  },
};

const hubChanges: readonly Change[] = [
  ["options.repo", { options: { repo: "https://git.example.com/other" } }],
  ["options.branch", { options: { branch: "next" } }],
  ["workspaces", { workspaces: ["other"] }],
  ["createWorkspaces", { createWorkspaces: true }],
  ["hub.url", { hub: { url: "https://other.example.com" } }],
  ["hub.caBundle", { hub: { caBundle: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n" } }],
  ["git.secretName", { git: { secretName: "other" } }],
  ["git.hasCa", { git: { hasCa: true } }],
  ["git.hasSsh", { git: { hasSsh: true } }],
  ["readSecrets", { readSecrets: ["age"] }],
  ["crds.install", { crds: { install: false } }],
  ["publish.clusterProfiles", { publish: { clusterProfiles: true } }],
  ["publish.argocd", { publish: { argocd: "other" } }],
  ["publish.flux", { publish: { flux: "flux-system" } }],
  ["publish.lookForUsers", { publish: { lookForUsers: false } }],
  ["publicInfo.create", { publicInfo: { create: false } }],
  ["image.repository", { image: { repository: "mirror.example.com/rollcall" } }],
  ["image.tag", { image: { tag: "9.9.9" } }],
  ["image.digest", { image: { digest: `sha256:${"0".repeat(64)}` } }],
  ["image.pullPolicy", { image: { pullPolicy: "Always" } }],
  ["imagePullSecrets", { imagePullSecrets: [{ name: "registry" }] }],
  ["replicas", { replicas: 1 }],
  ["resources", { resources: { limits: { memory: "1Gi" } } }],
  ["nodeSelector", { nodeSelector: { pool: "system" } }],
  ["tolerations", { tolerations: [{ key: "edge", operator: "Exists" }] }],
  ["affinity", { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } }],
  ["priorityClassName", { priorityClassName: "system-cluster-critical" }],
  ["podLabels", { podLabels: { team: "platform" } }],
  ["podAnnotations", { podAnnotations: { team: "platform" } }],
  ["env", { env: [{ name: "HTTPS_PROXY", value: "http://proxy.example.com" }] }],
  ["serviceAccount.annotations", { serviceAccount: { annotations: { team: "platform" } } }],
  ["podDisruptionBudget.create", { podDisruptionBudget: { create: false } }],
  ["service.port", { service: { port: 9090 } }],
  ["page.host", { page: { host: "fleet.example.com" } }],
  ["page.ingress.create", { page: { ingress: { create: false } } }],
  ["page.ingress.className", { page: { ingress: { className: "internal" } } }],
  ["page.ingress.annotations", { page: { ingress: { annotations: { team: "platform" } } } }],
  ["page.ingress.tlsSecretName", { page: { ingress: { tlsSecretName: "page-tls" } } }],
  ["page.httpRoute.create", { page: { httpRoute: { create: false } } }],
  ["page.httpRoute.parentRefs", { page: { httpRoute: { parentRefs: [{ name: "internal" }] } } }],
  ["page.backend.name", { page: { backend: { name: "other-proxy" } } }],
  ["page.backend.port", { page: { backend: { port: 80 } } }],
  ["serviceMonitor.create", { serviceMonitor: { create: false } }],
  ["serviceMonitor.interval", { serviceMonitor: { interval: "10s" } }],
  ["serviceMonitor.labels", { serviceMonitor: { labels: { release: "prometheus" } } }],
  ["networkPolicy.create", { networkPolicy: { create: false } }],
  ["networkPolicy.from", { networkPolicy: { from: [{ namespaceSelector: {} }] } }],
  ["networkPolicy.pageFrom", { networkPolicy: { pageFrom: [{ namespaceSelector: {} }] } }],
  ["networkPolicy.egressPorts", { networkPolicy: { egressPorts: [443] } }],
  ["networkPolicy.extraEgress", { networkPolicy: { extraEgress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] } }],
  ["cache.sizeLimit", { cache: { sizeLimit: "9Gi" } }],
  ["tmp.sizeLimit", { tmp: { sizeLimit: ".5G" } }],
];

const agent: JsonObject = {
  hub: { url: "https://hub.example.com", caBundle: "ca\n", id: `sha256:${"0".repeat(64)}` },
  workspace: "fleet",
  token: { name: "token", credential: "credential", proofKey: Buffer.alloc(32, 7).toString("base64") },
};

const agentChanges: readonly Change[] = [
  ["hub.url", { hub: { url: "https://other.example.com" } }],
  ["hub.caBundle", { hub: { caBundle: "other\n" } }],
  ["hub.id", { hub: { id: `sha256:${"1".repeat(64)}` } }],
  ["workspace", { workspace: "other" }],
  ["token.name", { token: { name: "other" } }],
  ["token.credential", { token: { credential: "other" } }],
  ["token.proofKey", { token: { proofKey: Buffer.alloc(32, 8).toString("base64") } }],
  ["cluster", { cluster: { name: "eu-1" } }],
  ["agent.image", { agent: { image: "mirror.example.com/rollcall" } }],
  ["agent.version", { agent: { version: "9.9.9" } }],
  ["deadlineSeconds", { deadlineSeconds: 60 }],
  ["createNamespace", { createNamespace: true }],
  ["networkPolicy.create", { networkPolicy: { create: false } }],
  ["networkPolicy.egressPorts", { networkPolicy: { egressPorts: [443] } }],
];

describe.skipIf(findHelm() === undefined)(`a value of a chart (skipped where ${noHelmReason})`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-chart-values-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function render(chart: ChartName, values: JsonObject): Promise<string> {
    const valuesFile = join(folder, "values.json");
    await writeFile(valuesFile, JSON.stringify(values));
    return JSON.stringify(await renderChart({ chart, namespace: "rollcall-system", valuesFile }));
  }

  it.each(hubChanges)("of chart rollcall changes what is rendered: %s", async (_name, change) => {
    expect(await render("rollcall", mergeValues(hub, change))).not.toBe(await render("rollcall", hub));
  });

  it.each(agentChanges)("of chart rollcall-agent changes what is rendered: %s", async (_name, change) => {
    expect(await render("rollcall-agent", mergeValues(agent, change))).not.toBe(await render("rollcall-agent", agent));
  });
});

/** Maps are merged, as helm merges them; what else there is replaces. */
function mergeValues(base: JsonObject, change: JsonObject): JsonObject {
  const merged = Object.entries(change).map(([key, value]) => {
    const before = base[key];
    return [key, isJsonObject(before) && isJsonObject(value) ? mergeValues(before, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(merged) };
}
