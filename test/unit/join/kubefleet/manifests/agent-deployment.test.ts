import { describe, expect, it } from "vitest";
import { objectsAt, textAt, valueAt } from "../../../../../src/core/read-json.ts";
import { agentDeployment } from "../../../../../src/join/kubefleet/manifests/agent-deployment.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import { hubFacts } from "../../hub-scene.ts";
import { kubefleetMemberOf } from "../kubefleet-scene.ts";

const place = { namespace: "fleet-system", labels: { app: "member-agent" } };

function podOf(spec: Cluster["spec"] = {}, hub = hubFacts()): unknown {
  return valueAt(agentDeployment(kubefleetMemberOf({ spec }), hub, place), "spec", "template", "spec");
}
const containersOf = (spec?: Cluster["spec"], hub = hubFacts()) => objectsAt(podOf(spec, hub), "containers");
const argsOf = (spec?: Cluster["spec"]) => valueAt(containersOf(spec)[0], "args") as string[];
const envOf = (spec?: Cluster["spec"], hub = hubFacts()): Record<string, string> =>
  Object.fromEntries(
    objectsAt(containersOf(spec, hub)[0], "env").map((one): [string, string] => [
      textAt(one, "name") ?? "",
      textAt(one, "value") ?? "",
    ]),
  );
const encode = (text: string): string => Buffer.from(text).toString("base64");

describe("agentDeployment of KubeFleet", () => {
  it.each<[Cluster["spec"], string]>([
    [{}, "ghcr.io/kubefleet-dev/kubefleet/member-agent:v0.3.1"],
    [{ agent: { version: "v0.2.0" } }, "ghcr.io/kubefleet-dev/kubefleet/member-agent:v0.2.0"],
    [{ agent: { image: "mine/agent:1" } }, "mine/agent:1"],
    [{ agent: { image: "mine:5000/agent" } }, "mine:5000/agent:v0.3.1"],
    [{ agent: { image: "mine/agent@sha256:0" } }, "mine/agent@sha256:0"],
  ])("%j runs %s", (spec, image) => {
    expect(textAt(containersOf(spec)[0], "image")).toBe(image);
  });

  it.each<[Cluster["spec"], string, string]>([
    [{}, "--v=2", "--leader-elect=false"],
    [{ agent: { logLevel: "trace", replicas: 1 } }, "--v=8", "--leader-elect=false"],
    [{ agent: { logLevel: "error", replicas: 2 } }, "--v=0", "--leader-elect=true"],
  ])("%j starts with %s and %s", (spec, ...args) => {
    expect(argsOf(spec)).toEqual(expect.arrayContaining(args));
  });

  it("finds the hub at the address of the Cluster, or that of the hub, and trusts its CA", () => {
    expect(envOf()).toMatchObject({
      HUB_SERVER_URL: "https://hub.example.com:6443",
      MEMBER_CLUSTER_NAME: "eu-1",
      HUB_CERTIFICATE_AUTHORITY: encode("ca"),
    });
    const spec = { hubEndpoint: { url: "https://other", caBundle: "theirs" } };
    expect(envOf(spec)).toMatchObject({ HUB_SERVER_URL: "https://other", HUB_CERTIFICATE_AUTHORITY: encode("theirs") });
  });

  it("has no CA where there is none: an empty one is fatal to the agent", () => {
    const hub = hubFacts({ endpoint: { url: "https://hub", caBundle: "" } });
    expect(envOf({}, hub)).not.toHaveProperty("HUB_CERTIFICATE_AUTHORITY");
  });

  it("mounts its token for reading, or has a sidecar that writes it", () => {
    const mountOf = (spec?: Cluster["spec"]) => objectsAt(containersOf(spec)[0], "volumeMounts");
    expect(mountOf()).toEqual([{ name: "provider-token", mountPath: "/config", readOnly: true }]);
    expect(containersOf()).toHaveLength(1);
    expect(objectsAt(podOf(), "volumes")).toEqual([
      { name: "provider-token", secret: { secretName: "hub-kubeconfig-secret" } },
    ]);
    const sidecar = { kubefleet: { refreshTokenImage: "refresh:1" } };
    expect(mountOf(sidecar)).toEqual([{ name: "provider-token", mountPath: "/config" }]);
    expect(containersOf(sidecar).map(({ image }) => image)).toEqual([
      "ghcr.io/kubefleet-dev/kubefleet/member-agent:v0.3.1",
      "refresh:1",
    ]);
    expect(objectsAt(podOf(sidecar), "volumes")).toEqual([{ name: "provider-token", emptyDir: {} }]);
  });

  it("has the variables and the resources of the Cluster", () => {
    const resources = { limits: { memory: "2Gi" } };
    const spec = { agent: { env: [{ name: "A", value: "b" }], resources } };
    expect(envOf(spec)["A"]).toBe("b");
    expect(valueAt(containersOf(spec)[0], "resources")).toEqual(resources);
    expect(valueAt(containersOf()[0], "resources", "limits", "memory")).toBe("1Gi");
  });
});
