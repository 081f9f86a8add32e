import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { checkPolicy, evaluatePolicies } from "../../../src/policy/evaluate-policies.ts";
import { clusterOf, examplePolicy, subjectOf, tokenOf } from "./policy-builders.ts";

function results(policy: string, object: KubeObject, oldObject?: KubeObject): string[] {
  const problems = evaluatePolicies([examplePolicy(policy)], [subjectOf(object, { oldObject })]);
  return problems.map(({ code, message }) => `${code} ${message}`);
}

interface LabelCase {
  readonly reason: string;
  readonly labels: Record<string, string> | undefined;
}

describe("example policies", () => {
  it.each(["prod-needs-owner", "names-match-region", "tokens-expire-soon"])("%s compiles", (name) => {
    expect(checkPolicy(examplePolicy(name))).toEqual([]);
  });

  it.each<LabelCase & { expected: string[] }>([
    { reason: "no labels at all", labels: undefined, expected: [] },
    { reason: "not prod", labels: { env: "dev" }, expected: [] },
    { reason: "prod with an owner", labels: { env: "prod", owner: "team-a" }, expected: [] },
    {
      reason: "prod without an owner",
      labels: { env: "prod" },
      expected: ["E_POLICY a cluster with env=prod needs a label owner (policy prod-needs-owner, rule 1)"],
    },
    {
      reason: "prod with an empty owner",
      labels: { env: "prod", owner: "" },
      expected: ["E_POLICY a cluster with env=prod needs a label owner (policy prod-needs-owner, rule 1)"],
    },
  ])("prod-needs-owner: $reason", ({ labels, expected }) => {
    expect(results("prod-needs-owner", clusterOf("a", labels))).toEqual(expected);
  });

  it("prod-needs-owner warns when prod becomes something else", () => {
    const before = clusterOf("a", { env: "prod", owner: "team-a" });
    expect(results("prod-needs-owner", clusterOf("a", { env: "dev" }), before)).toEqual([
      "W_POLICY a cluster that is env=prod stays so; take it out of the fleet first (policy prod-needs-owner, rule 2)",
    ]);
  });

  it.each<LabelCase & { name: string; broken: number[] }>([
    { reason: "all right", name: "eu-west-1", labels: { region: "eu" }, broken: [] },
    { reason: "no region", name: "eu-west-1", labels: {}, broken: [1] },
    { reason: "no labels", name: "eu-west-1", labels: undefined, broken: [1] },
    { reason: "another region", name: "eu-west-1", labels: { region: "us" }, broken: [2] },
    { reason: "a name of another form", name: "eu-west.1", labels: { region: "eu" }, broken: [3] },
  ])("names-match-region: $reason", ({ name, labels, broken }) => {
    const rules = results("names-match-region", clusterOf(name, labels)).map((text) => /rule (\d)/u.exec(text)?.[1]);
    expect(rules).toEqual(broken.map(String));
  });

  it.each([
    { reason: "a day", spec: { ttl: "24h", maxRegistrations: 1 }, expected: [] },
    { reason: "no ttl", spec: { maxRegistrations: 1 }, expected: ["E_POLICY 1"] },
    { reason: "ttl 0, which never expires", spec: { ttl: "0", maxRegistrations: 1 }, expected: ["E_POLICY 1"] },
    { reason: "exactly 30 d", spec: { ttl: "720h", maxRegistrations: 1 }, expected: ["E_POLICY 1"] },
    { reason: "a minute less", spec: { ttl: "719h59m", maxRegistrations: 1 }, expected: [] },
    { reason: "no Go duration", spec: { ttl: "30d", maxRegistrations: 1 }, expected: ["E_POLICY 1"] },
    { reason: "many uses", spec: { ttl: "1h", maxRegistrations: 9 }, expected: ["W_POLICY 2"] },
  ])("tokens-expire-soon: $reason", ({ spec, expected }) => {
    const found = results("tokens-expire-soon", tokenOf("door", spec));
    expect(found.map((text) => `${text.split(" ")[0]} ${/rule (\d)/u.exec(text)?.[1]}`)).toEqual(expected);
  });
});
