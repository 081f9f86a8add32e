import { describe, expect, it } from "vitest";
import {
  isRolledOut,
  manifestDigestOf,
  readOwnDeployment,
  restorableDeployment,
} from "../../../src/join/rollcall/downstream/own-manifest.ts";
import { renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { sha256Hex } from "../../../src/core/digest.ts";

const installation = { namespace: "rollcall-agent", image: "rollcall:0.2.0", settings: {}, deadlineSeconds: 300 };
const manifest = renderManifest(installation);

describe("readOwnDeployment", () => {
  it("takes the own Deployment alone out of the manifest, marked with its digest", () => {
    const own = readOwnDeployment(manifest.text, manifest.digest, "rollcall-agent");
    expect(own).toMatchObject({ version: "0.2.0", deadlineMs: 300_000, hasWayBack: true });
    expect(own?.deployment.kind).toBe("Deployment");
    expect(manifestDigestOf(own?.deployment)).toBe(manifest.digest);
  });

  it.each([
    ["rollcall:0.2.0", "0.2.0"],
    ["registry.example.com:5000/rollcall:0.2.0", "0.2.0"],
    ["registry.example.com:5000/rollcall@sha256:abc", "sha256:abc"],
    ["registry.example.com:5000/rollcall:0.2.0@sha256:abc", "sha256:abc"],
    ["registry.example.com:5000/rollcall", ""],
    [undefined, ""],
  ])("reads the version of the image %s: %s", (image, version) => {
    const spec = { template: { spec: { containers: [{ image }] } } };
    const text = JSON.stringify([{ ...deploymentNamed("rollcall-agent"), spec }]);
    const own = readOwnDeployment(text, `sha256:${sha256Hex(text)}`, "rollcall-agent");
    expect(own).toMatchObject({ version, deadlineMs: 600_000 });
  });

  it("has no way back in the node's network", () => {
    const { text, digest } = renderManifest({ ...installation, settings: { hostNetwork: true } });
    expect(readOwnDeployment(text, digest, "rollcall-agent")?.hasWayBack).toBe(false);
  });

  it("takes nothing out of another text than the one that was named", () => {
    expect(readOwnDeployment(`${manifest.text} `, manifest.digest, "rollcall-agent")).toBeUndefined();
    expect(readOwnDeployment(manifest.text, `sha256:${"0".repeat(64)}`, "rollcall-agent")).toBeUndefined();
  });

  it("takes no Deployment of another name or namespace, and nothing that is no manifest", () => {
    expect(readOwnDeployment(manifest.text, manifest.digest, "kube-system")).toBeUndefined();
    const texts = [
      JSON.stringify([deploymentNamed("coredns")]),
      JSON.stringify(deploymentNamed("rollcall-agent")),
      "[1, null, {}]",
      JSON.stringify([{ kind: "Deployment" }, { metadata: { name: "rollcall-agent" } }]),
      "{",
      "",
    ];
    for (const text of texts)
      expect(readOwnDeployment(text, `sha256:${sha256Hex(text)}`, "rollcall-agent")).toBeUndefined();
  });
});

describe("restorableDeployment", () => {
  it("is what is to be applied, without what the API server adds", () => {
    const live: KubeObject = {
      ...deploymentNamed("rollcall-agent"),
      metadata: {
        name: "rollcall-agent",
        namespace: "rollcall-agent",
        uid: "u",
        resourceVersion: "7",
        generation: 3,
        managedFields: [],
        annotations: { "deployment.kubernetes.io/revision": "3", "rollcall.dev/manifest-digest": "d" },
      },
      status: { replicas: 1 },
    };
    expect(restorableDeployment(live)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "rollcall-agent",
        namespace: "rollcall-agent",
        annotations: { "rollcall.dev/manifest-digest": "d" },
      },
      spec: { replicas: 1 },
    });
  });

  it("keeps labels, and has no field that the live one has not", () => {
    const { spec: _left, ...bare } = deploymentNamed("rollcall-agent");
    const labels = { app: "rollcall" };
    expect(restorableDeployment({ ...bare, metadata: { name: "a", labels, uid: "u" } })).toStrictEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "a", labels },
      spec: undefined,
    });
    expect(restorableDeployment({ ...bare, metadata: { name: "a" } }).metadata).toStrictEqual({ name: "a" });
  });
});

describe("isRolledOut", () => {
  const done = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  const withStatus = (status: object): KubeObject => ({
    ...deploymentNamed("rollcall-agent"),
    metadata: { name: "rollcall-agent", generation: 2 },
    status,
  });

  it.each([
    ["all Pods are new and ready", done, true],
    ["the controller has not observed it yet", { ...done, observedGeneration: 1 }, false],
    ["the new Pod is not ready", { ...done, availableReplicas: 0 }, false],
    ["the old Pod is still there", { ...done, replicas: 2 }, false],
    ["the new Pod is not made", { ...done, updatedReplicas: 0 }, false],
    ["there is no status", {}, false],
  ])("when %s: %#", (_case, status, expected) => {
    expect(isRolledOut(withStatus(status))).toBe(expected);
  });

  it("needs as many Pods as the Deployment asks for, one by default", () => {
    const two = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
    const asking = (spec: object, status: object) => isRolledOut({ ...withStatus(status), spec });
    expect([asking({ replicas: 2 }, two), asking({ replicas: 2 }, done), asking({}, done)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

function deploymentNamed(name: string): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "rollcall-agent" },
    spec: { replicas: 1 },
  };
}
