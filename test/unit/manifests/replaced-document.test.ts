import { describe, expect, it } from "vitest";
import { isSameToOthers } from "../../../src/manifests/replaced-document.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const base = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "a", namespace: "fleet", labels: { env: "x" } },
  spec: { displayName: "A", clientID: "one" },
};

function changed(metadata: object, spec: object = {}): KubeObject {
  return { ...base, metadata: { ...base.metadata, ...metadata }, spec: { ...base.spec, ...spec } };
}

describe("isSameToOthers", () => {
  it.each([
    { reason: "its labels", after: changed({ labels: { env: "y" } }), expected: true },
    { reason: "its annotations", after: changed({ annotations: { note: "x" } }), expected: true },
    { reason: "what it is called on the page", after: changed({}, { displayName: "B" }), expected: true },
    { reason: "its heartbeat", after: changed({}, { heartbeat: { periodSeconds: 7 } }), expected: true },
    { reason: "its protection", after: changed({}, { deletionProtection: true }), expected: true },
    { reason: "its name", after: changed({ name: "b" }), expected: false },
    { reason: "its workspace", after: changed({ namespace: "other" }), expected: false },
    { reason: "its identity", after: changed({}, { clientID: "two" }), expected: false },
    { reason: "its protocol", after: changed({}, { protocol: "fleet" }), expected: false },
    { reason: "its former name", after: changed({}, { previousName: "z" }), expected: false },
    { reason: "the Secret that it names", after: changed({}, { kubeConfigSecretRef: { name: "k" } }), expected: false },
    { reason: "a field that is not known here", after: changed({}, { fresh: true }), expected: false },
    { reason: "its kind", after: { ...changed({}), kind: "ClusterGroup" }, expected: false },
  ])("when a Cluster changes $reason: $expected", ({ after, expected }) => {
    expect(isSameToOthers(base, after)).toBe(expected);
  });
});
