import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { objectAt, objectsAt, textAt } from "../../src/core/read-json.ts";
import { installationObjects, renderManifest } from "../../src/join/rollcall/manifests/agent-manifest.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import type { AgentSettings } from "../../src/model/generated/agent-settings.ts";
import type { KubeObject } from "../../src/model/kubernetes.ts";
import { readDaemonRights } from "../support/daemon-rights.ts";
import { findHelm, lintChart, noHelmReason, renderChart } from "../support/helm.ts";
import type { ChartName } from "../support/helm.ts";
import { sharedControlPlane } from "../support/shared-control-plane.ts";

const agentValues = {
  hub: { url: "https://hub.example.com:6443", caBundle: "ca <&>\n", id: `sha256:${"0".repeat(64)}` },
  workspace: "fleet",
  token: { name: "door", credential: "credential", proofKey: Buffer.alloc(32, 7).toString("base64") },
  cluster: { name: "eu-1", labels: { env: "prod" } },
};

const everySetting: AgentSettings = {
  image: "mirror.example.com:5000/rollcall",
  version: "0.2.0",
  replicas: 2,
  resources: { requests: { cpu: "20m" }, limits: { memory: "256Mi" } },
  tolerations: [{ key: "edge", operator: "Exists" }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  nodeSelector: { pool: "system" },
  priorityClassName: "system-cluster-critical",
  env: [
    { name: "HTTPS_PROXY", value: "http://user:a<b>&c@proxy.example.com:3128" },
    { name: "ROLLCALL_HEALTH_PORT", value: "1" },
  ],
  imagePullSecrets: [{ name: "registry" }],
  hostNetwork: true,
  logLevel: "debug",
  redeployGeneration: 3,
};

const hubValues = {
  options: { repo: "https://git.example.com/fleet", interval: "30s", writeBack: "None" },
  workspaces: ["fleet", "edge"],
  hub: { url: "https://hub.example.com:6443", caBundle: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n" },
  git: { secretName: "git", hasCa: true },
  resources: { requests: { cpu: "10m" }, limits: { memory: "256Mi" } },
};

describe.skipIf(findHelm() === undefined)(`the charts (skipped where ${noHelmReason})`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-charts-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  async function valuesFile(values: object): Promise<string> {
    const path = join(folder, "values.json");
    await writeFile(path, JSON.stringify(values));
    return path;
  }
  const render = async (chart: ChartName, values: object, namespace: string): Promise<KubeObject[]> =>
    renderChart({ chart, namespace, valuesFile: await valuesFile(values) });
  const renderHub = (values: object = hubValues): Promise<KubeObject[]> =>
    render("rollcall", values, "rollcall-system");

  describe("rollcall-agent", () => {
    it.each<readonly [string, AgentSettings, number]>([
      ["nothing is set", {}, 600],
      ["everything is set", everySetting, 120],
      ["the image has a tag", { image: "mirror/rollcall:edge", version: "9.9.9" }, 600],
      ["the image has a digest", { image: `rollcall@sha256:${"a".repeat(64)}` }, 600],
    ])("makes what the hub makes, field by field and in digest, when %s", async (_when, agent, deadlineSeconds) => {
      const values = { ...agentValues, agent, deadlineSeconds, createNamespace: true };
      const rendered = await render("rollcall-agent", values, "my-agents");
      const image = imageOf(agent.image ?? "rollcall", agent.version ?? "0.1.0");
      const manifest = renderManifest({ namespace: "my-agents", image, settings: agent, deadlineSeconds });
      const wanted = installationObjects(manifest, agentValues);
      const offered = rendered.filter(({ kind }) => kind !== "NetworkPolicy");
      expect(byName(offered.map(withReadValues))).toEqual(byName(wanted.map(withReadValues)));
    });

    it("A40 allows no connection to the agent, and none from it to a metadata address", async () => {
      const rendered = await render("rollcall-agent", agentValues, "my-agents");
      const spec = objectAt(rendered.find(({ kind }) => kind === "NetworkPolicy") ?? {}, "spec");
      expect(spec).toMatchObject({ policyTypes: ["Ingress", "Egress"], ingress: [] });
      expect(JSON.stringify(spec?.["egress"])).toContain('"except":["169.254.0.0/16"]');
      expect(JSON.stringify(spec?.["egress"])).toContain('"port":6443');
      const pods = objectAt(rendered.find(({ kind }) => kind === "Deployment") ?? {}, "spec", "selector");
      expect(spec?.["podSelector"]).toEqual(pods);
    });

    it("leaves the Namespace to helm where no value names it", async () => {
      const rendered = await render("rollcall-agent", agentValues, "my-agents");
      expect(rendered.filter(({ kind }) => kind === "Namespace")).toEqual([]);
    });

    it("passes helm lint", async () => {
      expect(await lintChart("rollcall-agent", await valuesFile(agentValues))).toContain("0 chart(s) failed");
    });

    it.each([
      ["a token without its proof", { token: { name: "door", credential: "c" } }],
      ["a hub without TLS", { hub: { ...agentValues.hub, url: "http://hub" } }],
      ["a setting that is not known", { agent: { replica: 2 } }],
    ])("refuses %s", async (_what, change) => {
      await expect(render("rollcall-agent", { ...agentValues, ...change }, "a")).rejects.toThrow(/schema/u);
    });
  });

  describe("rollcall", () => {
    it("passes helm lint", async () => {
      expect(await lintChart("rollcall", await valuesFile(hubValues))).toContain("0 chart(s) failed");
    });

    it("A40 lets Pods of its own namespace reach its metrics, and itself reach no metadata address", async () => {
      const objects = await renderHub();
      const spec = objectAt(objects.find(({ kind }) => kind === "NetworkPolicy") ?? {}, "spec");
      expect(spec?.["policyTypes"]).toEqual(["Ingress", "Egress"]);
      expect(spec?.["ingress"]).toEqual([{ ports: [{ port: "http", protocol: "TCP" }], from: [{ podSelector: {} }] }]);
      expect(JSON.stringify(spec?.["egress"])).toContain('"except":["169.254.0.0/16"]');
    });

    it("has no admission policy on Kubernetes 1.29, which lacks them, and serves no protocol there that needs one", async () => {
      const on = async (kubeVersion: string, options: object = {}): Promise<boolean> => {
        const values = await valuesFile({ ...hubValues, options: { ...hubValues.options, ...options } });
        const release = { chart: "rollcall", namespace: "rollcall-system", valuesFile: values, kubeVersion } as const;
        return (await renderChart(release)).some(({ kind }) => kind === "ValidatingAdmissionPolicy");
      };
      expect(await on("1.29.14")).toBe(false);
      expect(await on("1.30.0")).toBe(true);
      expect(await on("1.29.14", { serveKubefleet: true })).toBe(false);
      for (const option of ["serveFleet", "serveClusternet"]) {
        await expect(on("1.29.14", { [option]: true })).rejects.toThrow("the hub needs Kubernetes 1.30");
        expect(await on("1.30.0", { [option]: true })).toBe(true);
      }
    });

    it("A16 bounds every folder that it writes to", async () => {
      const pod = objectAt(
        (await renderHub()).find(({ kind }) => kind === "Deployment") ?? {},
        "spec",
        "template",
        "spec",
      );
      const folders = objectsAt(pod, "volumes").filter((volume) => "emptyDir" in volume);
      expect(folders.map((volume) => textAt(volume, "emptyDir", "sizeLimit"))).toEqual(["4Gi", "1Gi"]);
    });

    it("gives each workspace the rights of the table, and none in the whole cluster", async () => {
      const objects = await renderHub();
      const rights = readDaemonRights();
      const rulesOf = (kind: string, namespace: string | undefined): unknown =>
        objects.find((object) => object.kind === kind && object.metadata.namespace === namespace)?.["rules"];
      const plain = (scope: keyof typeof rights): unknown =>
        rights[scope].map(({ why: _, given: __, seldom: ___, ...rule }) => rule);
      expect(rulesOf("Role", "fleet")).toEqual(plain("workspace"));
      expect(rulesOf("Role", "edge")).toEqual(plain("workspace"));
      expect(rulesOf("Role", "rollcall-system")).toEqual(plain("namespace"));
      expect(rulesOf("ClusterRole", undefined)).toEqual(plain("cluster"));
      const ofPublic = objects.filter(
        ({ kind, metadata }) => kind === "Role" && metadata.namespace === "rollcall-public",
      );
      expect(ofPublic.map((object) => object["rules"])).toContainEqual(plain("public"));
    });

    it("gives the rights to publish, and sets where, only where the values request it", async () => {
      const publish = { clusterProfiles: true, argocd: "argocd", flux: "flux-system" };
      const objects = await renderHub({ ...hubValues, publish });
      const rights = readDaemonRights();
      const rulesIn = (namespace: string): unknown =>
        objects.find(({ kind, metadata }) => kind === "Role" && metadata.namespace === namespace)?.["rules"];
      const plain = (scope: keyof typeof rights): unknown[] =>
        rights[scope].map(({ why: _, given: __, seldom: ___, ...rule }) => rule);
      expect(rulesIn("argocd")).toEqual(plain("publish"));
      expect(rulesIn("flux-system")).toEqual([...plain("publish"), ...plain("fluxUsers")]);
      expect(rulesIn("fleet")).toEqual([...plain("workspace"), ...plain("profiles")]);
      const everywhere = objects.find(({ kind }) => kind === "ClusterRole");
      expect(everywhere?.["rules"]).toEqual([...plain("cluster"), ...plain("profileReading"), ...plain("argocdUsers")]);
      const blind = await renderHub({ ...hubValues, publish: { ...publish, lookForUsers: false } });
      expect(JSON.stringify(blind)).not.toMatch(/applications|kustomizations|helmreleases/u);
      expect(envOf(objects)).toMatchObject({
        ROLLCALL_PUBLISH_CLUSTER_PROFILES: "true",
        ROLLCALL_PUBLISH_ARGOCD: "argocd",
        ROLLCALL_PUBLISH_FLUX: "flux-system",
      });
    });

    it("gives the rights to serve the agents of others, and what those need, only where the values request it", async () => {
      const rights = readDaemonRights();
      const plain = (scope: keyof typeof rights): unknown[] =>
        rights[scope].map(({ why: _, given: __, seldom: ___, ...rule }) => rule);
      const rulesIn = (objects: readonly KubeObject[], namespace: string | undefined): unknown =>
        objects.find(({ kind, metadata }) => /^(?:Cluster)?Role$/u.test(kind) && metadata.namespace === namespace)?.[
          "rules"
        ];
      const withOptions = (options: object): Promise<KubeObject[]> =>
        renderHub({ ...hubValues, options: { ...hubValues.options, ...options } });
      const namesOf = (objects: readonly KubeObject[], group: string): string[] =>
        objects.flatMap(({ kind, metadata }) =>
          kind === "CustomResourceDefinition" && metadata.name.endsWith(group) ? [metadata.name] : [],
        );

      const served = await withOptions({
        serveFleet: true,
        serveKubefleet: true,
        serveClusternet: true,
        pageAddress: ":8081",
      });
      expect(rulesIn(served, "fleet")).toEqual([
        ...plain("workspace"),
        ...plain("fleetClusters"),
        ...plain("fleetWorkspace"),
      ]);
      expect(rulesIn(served, "cattle-fleet-clusters-system")).toEqual(plain("fleetRegistrations"));
      const everywhere = served.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name.includes("."));
      expect(everywhere?.["rules"]).toEqual([
        ...plain("cluster"),
        ...plain("page"),
        ...plain("fleet"),
        ...plain("kubefleetMembers"),
        ...plain("kubefleet"),
        ...plain("clusternetClusters"),
        ...plain("clusternet"),
      ]);
      expect(namesOf(served, "fleet.cattle.io")).toHaveLength(6);
      expect(namesOf(served, "kubernetes-fleet.io")).toHaveLength(3);
      expect(namesOf(served, "clusternet.io")).toHaveLength(2);
      expect(rulesIn(served, "kube-system")).toBeUndefined();
      const withTokens = await withOptions({ serveClusternet: true, clusternetBootstrapTokens: true });
      expect(rulesIn(withTokens, "kube-system")).toEqual(plain("clusternetBootstrap"));
      const service = served.find(({ kind }) => kind === "Service");
      expect(objectsAt(service, "spec", "ports")).toMatchObject([
        { name: "http", port: 8080 },
        { name: "page", port: 8081 },
      ]);

      const external = await withOptions({ serveFleet: true, fleetControllers: "External" });
      expect(rulesIn(external, "fleet")).toEqual([...plain("workspace"), ...plain("fleetClusters")]);
      expect(rulesIn(external, "cattle-fleet-clusters-system")).toBeUndefined();
      expect(namesOf(external, "fleet.cattle.io")).toEqual([]);
      const policies = external.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
      expect(policies.map(({ metadata }) => metadata.name)).toContain("rollcall-fleet-clusters");

      const members = await withOptions({ serveKubefleet: true, kubefleetControllers: "External" });
      const wholeHub = members.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name.includes("."));
      expect(wholeHub?.["rules"]).toEqual([...plain("cluster"), ...plain("kubefleetMembers")]);
      expect(namesOf(members, "kubernetes-fleet.io")).toEqual([]);

      const managed = await withOptions({ serveClusternet: true, clusternetControllers: "External" });
      const onHub = managed.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name.includes("."));
      expect(onHub?.["rules"]).toEqual([...plain("cluster"), ...plain("clusternetClusters")]);
      expect(namesOf(managed, "clusternet.io")).toEqual([]);

      const many = await withOptions({ followRepositories: true });
      expect(rulesIn(many, "rollcall-system")).toEqual([...plain("namespace"), ...plain("repositories")]);
    });

    it('gives them everywhere for workspaces ["*"]', async () => {
      const objects = await renderHub({ ...hubValues, workspaces: ["*"] });
      const role = objects.find(({ kind }) => kind === "ClusterRole");
      expect(objectsAt(role, "rules").some(({ resources }) => JSON.stringify(resources) === '["secrets"]')).toBe(true);
      expect(envOf(objects)["ROLLCALL_WORKSPACES"]).toBeUndefined();
    });

    it("keeps definitions and namespaces when it is uninstalled", async () => {
      const objects = await renderHub({ ...hubValues, createWorkspaces: true });
      const kept = objects.filter(({ kind }) => kind === "CustomResourceDefinition" || kind === "Namespace");
      expect(kept.map(({ metadata }) => metadata.name).sort()).toEqual([
        "clustergroups.rollcall.dev",
        "clusterregistrations.rollcall.dev",
        "clusterregistrationtokens.rollcall.dev",
        "clusterreports.rollcall.dev",
        "clusters.rollcall.dev",
        "edge",
        "fleet",
        "repositories.rollcall.dev",
        "rollcall-public",
      ]);
      for (const { metadata } of kept) expect(metadata.annotations?.["helm.sh/resource-policy"]).toBe("keep");
    });

    it("passes every setting to the daemon by its variable", async () => {
      expect(envOf(await renderHub())).toMatchObject({
        ROLLCALL_REPO: "https://git.example.com/fleet",
        ROLLCALL_BRANCH: "main",
        ROLLCALL_INTERVAL: "30s",
        ROLLCALL_WRITE_BACK: "None",
        ROLLCALL_WORKSPACES: "fleet,edge",
        ROLLCALL_HUB_URL: "https://hub.example.com:6443",
        ROLLCALL_HUB_CA_FILE: "/etc/rollcall/hub/ca.crt",
        ROLLCALL_GIT_TOKEN_FILE: "/etc/rollcall/git/token",
        ROLLCALL_GIT_CA_FILE: "/etc/rollcall/git/ca.crt",
        ROLLCALL_AGENT_IMAGE: "rollcall:0.1.0",
      });
    });

    it.each([
      ["no repository", { options: {} }],
      ["an option that is not known", { options: { ...hubValues.options, intervall: "1m" } }],
      ["an interval without its unit", { options: { ...hubValues.options, interval: "30" } }],
      ["an interval of days, which the daemon does not know", { options: { ...hubValues.options, interval: "1d" } }],
      ["a choice that is none", { options: { ...hubValues.options, writeBack: "Never" } }],
      ["an address of the hub without TLS", { hub: { url: "http://hub" } }],
      ["no workspace", { workspaces: [] }],
      ["a workspace that is no name", { workspaces: ["a/b"] }],
    ])("refuses %s", async (_what, change) => {
      await expect(renderHub({ ...hubValues, ...change })).rejects.toThrow(/schema/u);
    });

    it("is accepted whole by a real kube-apiserver, its Pod by the restricted level of Pod Security", async () => {
      const { kubeconfig, kubeconfigPath } = sharedControlPlane();
      const api = apiOf(readKubeconfig(kubeconfig));
      const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
      for (const [name, labels] of Object.entries({
        "rollcall-system": restricted,
        fleet: {},
        edge: {},
        "rollcall-public": {},
      })) {
        const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
        await api.apply(object, { fieldManager: "test" });
      }
      await api.close();
      const objects = await renderHub();
      const deployment = objects.find(({ kind }) => kind === "Deployment");
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "like-the-daemon", namespace: "rollcall-system" },
        spec: { ...objectAt(deployment, "spec", "template", "spec"), serviceAccountName: "default" },
      };
      const path = join(folder, "objects.json");
      await writeFile(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: [...objects, pod] }));
      const kubectl = join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl");
      // Other suites have made definitions of the same names, as other managers.
      const how = ["--server-side", "--force-conflicts", "--dry-run=server"];
      const args = ["apply", ...how, "--filename", path, "--kubeconfig", kubeconfigPath];
      const { stdout, stderr } = await promisify(execFile)(kubectl, args);
      expect(stdout.split("\n").filter((line) => line.includes("serverside-applied"))).toHaveLength(objects.length + 1);
      expect(stderr).toBe("");
    });
  });
});

function envOf(objects: readonly KubeObject[]): Record<string, string | undefined> {
  const deployment = objects.find(({ kind }) => kind === "Deployment");
  const env = objectsAt(deployment, "spec", "template", "spec", "containers", 0, "env");
  return Object.fromEntries(env.map((variable) => [textAt(variable, "name") ?? "", textAt(variable, "value")]));
}

function byName(objects: readonly KubeObject[]): Record<string, KubeObject> {
  return Object.fromEntries(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}

/** The values in a Secret by their content: two writers may order the keys of JSON differently. */
function withReadValues(object: KubeObject): KubeObject {
  const encoded = textAt(object, "data", "values");
  if (encoded === undefined) return object;
  const values: unknown = JSON.parse(Buffer.from(encoded, "base64").toString("utf8"));
  return { ...object, data: { values } };
}

function imageOf(image: string, version: string): string {
  return /[:@][^/]*$/u.test(image) ? image : `${image}:${version}`;
}
