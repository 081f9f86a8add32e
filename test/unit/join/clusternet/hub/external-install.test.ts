import { describe, expect, it } from "vitest";
import { digestJson } from "../../../../../src/core/digest.ts";
import {
  manifestOf,
  pendingExternalInstall,
  whyNotInstalled,
} from "../../../../../src/join/clusternet/hub/external-install.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, workspace } from "../../hub-scene.ts";
import type { MemberParts } from "../../hub-scene.ts";
import { clusternetMemberOf, heard, managedOf, secretOf, time, withKubeconfig } from "../clusternet-scene.ts";

const spec = { ...withKubeconfig, clusternet: { bootstrapSecretRef: { name: "door" } } };
const door = secretOf("door", { token: " opaque\n" });
const memberWith = (parts: MemberParts = {}) => clusternetMemberOf({ spec, children: [door], ...parts });
const install = { manifestDigest: "other", kubeconfigDigest: "k", redeployGeneration: 0, time: time(0), bootstrap: 3 };
const same = { ...install, manifestDigest: digestJson(manifestOf(memberWith(), hubFacts())) };

describe("pendingBootstrap: an agent for Clusternet's own controllers", () => {
  const pending = (parts: MemberParts) => pendingExternalInstall(memberWith(parts), hubFacts());

  it.each<[string, KubeObject, string]>([
    ["the token of an account, without blanks", door, "opaque"],
    ["a bootstrap token of Kubernetes", secretOf("door", { "token-id": "abc", "token-secret": "def" }), "abc.def"],
    ["the token where there are both", secretOf("door", { token: "t", "token-id": "a", "token-secret": "b" }), "t"],
  ])("is installed with %s", (_what, secret, regToken) => {
    expect(pending({ children: [secret] })).toEqual({ number: 1, values: { regToken } });
  });

  it("has the next number", () => {
    expect(pending({ state: { install } })).toMatchObject({ number: 4 });
  });

  it.each<[string, MemberParts]>([
    ["a credential is not there", { children: [] }],
    ["no credential is named", { spec: withKubeconfig }],
    ["half a bootstrap token is there", { children: [secretOf("door", { "token-id": "abc" })] }],
    ["the other half is there", { children: [secretOf("door", { "token-secret": "def" })] }],
    [
      "the Secret is in another namespace",
      { children: [secretOf("door", { token: "t" }, { metadata: { name: "door", namespace: "other" } })] },
    ],
    ["an agent that others installed works", { children: [door, managedOf(heard)] }],
    ["it was installed as it should be", { state: { install: same } }],
    ["no kubeconfig is named", { spec: { clusternet: spec.clusternet } }],
    ["it is paused", { spec: { ...spec, paused: true } }],
  ])("is not installed where %s", (_where, parts) => {
    expect(pending(parts)).toBeUndefined();
  });

  it("is installed again where the hub installed the one that works", () => {
    expect(pending({ children: [door, managedOf(heard)], state: { install } })).toMatchObject({ number: 4 });
  });
});

describe("whyNotInstalled: an agent for Clusternet's own controllers", () => {
  const why = (parts: MemberParts) => whyNotInstalled(memberWith(parts));

  it.each<[string, MemberParts, string]>([
    ["no Secret is named", { spec: withKubeconfig }, "spec.clusternet.bootstrapSecretRef"],
    [
      "the Secret does not exist",
      { children: [] },
      `Secret ${workspace}/door with a credential for the agent does not exist.`,
    ],
    ["the Secret has no credential", { children: [secretOf("door", {})] }, 'has no key "token"'],
    [
      "the Secret is another user's",
      { children: [{ ...door, type: "kubernetes.io/service-account-token" }] },
      "credential of another user",
    ],
  ])("reports that %s", (_what, parts, message) => {
    expect(why(parts)).toMatchObject({
      reason: "BootstrapMissing",
      message: expect.stringContaining(message) as string,
    });
  });

  it("is nothing where a credential is there, others installed the agent, or the hub installs none", () => {
    expect(why({})).toBeUndefined();
    expect(why({ children: [managedOf(heard)] })).toBeUndefined();
    expect(why({ spec: { clusternet: spec.clusternet }, children: [] })).toBeUndefined();
  });
});
