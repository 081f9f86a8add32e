import { describe, expect, it } from "vitest";
import { checkTexts, messagesOf } from "./check-texts.ts";
import { documentText } from "./read-text.ts";

const withMetadata = (lines: string): string =>
  documentText("Cluster", "eu-1").replace("  name: eu-1\n", `  name: eu-1\n${lines}`);
const messages = (text: string): string[] => messagesOf(checkTexts({ "a.yaml": text }));
const rule = (...spec: string[]) => documentText("ClusterLabels", "l", "selector: {}", ...spec);
const token = (...spec: string[]) => documentText("ClusterRegistrationToken", "t", ...spec);

describe("checkLabels: keys that files may not set", () => {
  it.each<[string, string]>([
    ["a label of ours", withMetadata("  labels: {rollcall.dev/x: a}\n")],
    ["a label of a domain of ours", withMetadata("  labels: {a.rollcall.dev/x: a}\n")],
    [
      "A21 a label that changes admission",
      withMetadata("  labels: {pod-security.kubernetes.io/enforce: privileged}\n"),
    ],
    [
      "A21 a label that changes admission, of a domain of it",
      withMetadata("  labels: {x.pod-security.kubernetes.io/enforce: privileged}\n"),
    ],
    ["a label of ours by a rule", rule("labels: {rollcall.dev/x: a}")],
    ["A21 a label that changes admission by a rule", rule("labels: {pod-security.kubernetes.io/enforce: privileged}")],
    ["an annotation of ours by a rule", rule("labels: {a: b}", "annotations: {rollcall.dev/leave: c}")],
    [
      "an annotation by a rule that files may set on their own object",
      rule("labels: {a: b}", "annotations: {rollcall.dev/adopt: 'true'}"),
    ],
    ["an annotation that orders a leave", withMetadata("  annotations: {rollcall.dev/leave: c}\n")],
    ["an annotation that revokes", withMetadata("  annotations: {rollcall.dev/revoked: c}\n")],
    ["a label of a token's clusters", token("clusterLabels: {rollcall.dev/x: a}")],
    ["a label of ours by an agent", token("agentLabels: [rollcall.dev/x]")],
    ["a label of Kubernetes by an agent", token("agentLabels: [topology.kubernetes.io/zone]")],
  ])("%s", (_what, text) => {
    expect(messages(text)).toEqual([expect.stringContaining("a.yaml E_LABEL_RESERVED ")]);
  });

  it.each<[string, string]>([
    ["a label without a prefix", withMetadata("  labels: {env: prod}\n")],
    ["a label whose prefix only ends like ours", withMetadata("  labels: {myrollcall.dev/x: a}\n")],
    ["a label of Kubernetes", withMetadata("  labels: {topology.kubernetes.io/zone: a}\n")],
    ["an annotation of another project", withMetadata("  annotations: {example.com/x: a}\n")],
    ["the annotation that takes over", withMetadata("  annotations: {rollcall.dev/adopt: 'true'}\n")],
    ["an annotation of another project by a rule", rule("labels: {a: b}", "annotations: {example.com/x: a}")],
    ["a label by an agent", token("agentLabels: [env, example.com/zone]", "clusterLabels: {env: prod}")],
  ])("but %s", (_what, text) => {
    expect(messages(text)).toEqual([]);
  });
});
