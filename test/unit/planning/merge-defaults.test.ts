import { describe, expect, it } from "vitest";
import type { Declared } from "../../../src/model/declared-fleet.ts";
import type { ClusterDefaults, ClusterDefaultsSpec } from "../../../src/model/generated/cluster-defaults.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import { mergeDefaults } from "../../../src/planning/merge-defaults.ts";

const selector = { matchLabels: { env: "prod" } };

function rule(name: string, spec: Partial<ClusterDefaultsSpec>, namespace?: string): Declared<ClusterDefaults> {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const object = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterDefaults",
    metadata,
    spec: { selector, ...spec },
  };
  return { object, position: { file: `${name}.yaml`, line: 3, column: 2 }, blobId: name } as Declared<ClusterDefaults>;
}

function merge(rules: readonly Declared<ClusterDefaults>[], spec?: Cluster["spec"], labels = { env: "prod" }) {
  const cluster = { metadata: { name: "a", namespace: "fleet" }, ...(spec ? { spec } : {}) } as Cluster;
  return mergeDefaults(cluster, labels, rules);
}

const slow = { heartbeat: { periodSeconds: 120 } };

describe("the defaults of a cluster", () => {
  it.each<{ reason: string; rules: readonly Declared<ClusterDefaults>[]; spec?: Cluster["spec"]; is: object }>([
    { reason: "there is no rule", rules: [], is: {} },
    { reason: "there is no rule for its file", rules: [], spec: { clientID: "x" }, is: { clientID: "x" } },
    { reason: "a rule is for every namespace", rules: [rule("r", slow)], is: slow },
    { reason: "a rule is for its namespace", rules: [rule("r", slow, "fleet")], is: slow },
    { reason: "a rule is for another namespace", rules: [rule("r", slow, "other")], is: {} },
    {
      reason: "a rule selects others",
      rules: [rule("r", { ...slow, selector: { matchLabels: { env: "dev" } } })],
      is: {},
    },
    {
      reason: "its file declares another part",
      rules: [rule("r", { heartbeat: { periodSeconds: 120, failureThreshold: 5 }, deletionPolicy: "Detach" })],
      spec: { heartbeat: { failureThreshold: 2 }, clientID: "x" },
      is: { heartbeat: { periodSeconds: 120, failureThreshold: 2 }, deletionPolicy: "Detach", clientID: "x" },
    },
    {
      reason: "a later rule has a higher priority",
      rules: [rule("a", slow), rule("b", { heartbeat: { periodSeconds: 5 }, priority: 1 })],
      is: { heartbeat: { periodSeconds: 5 } },
    },
    {
      reason: "an earlier rule has a higher priority",
      rules: [rule("a", { ...slow, priority: 1 }), rule("b", { heartbeat: { periodSeconds: 5 } })],
      is: slow,
    },
    { reason: "rules agree", rules: [rule("a", slow), rule("b", slow)], is: slow },
    {
      reason: "rules set different fields",
      rules: [rule("a", slow), rule("b", { deletionPolicy: "Detach" })],
      is: { ...slow, deletionPolicy: "Detach" },
    },
    {
      reason: "a rule of higher priority settles what two others contest",
      rules: [
        rule("a", slow),
        rule("b", { heartbeat: { periodSeconds: 5 } }),
        rule("c", { heartbeat: { periodSeconds: 7 }, priority: 1 }),
      ],
      is: { heartbeat: { periodSeconds: 7 } },
    },
    {
      reason: "its file settles what two contest",
      rules: [rule("a", slow), rule("b", { heartbeat: { periodSeconds: 5 } })],
      spec: { heartbeat: { periodSeconds: 9 } },
      is: { heartbeat: { periodSeconds: 9 } },
    },
  ])("are right when $reason", ({ rules, spec, is }) => {
    expect(merge(rules, spec)).toEqual({ spec: is, problems: [] });
  });

  it("leave unset what two rules of one priority contest, and report it at both", () => {
    const rules = [
      rule("a", { ...slow, priority: 2 }),
      rule("b", { heartbeat: { periodSeconds: 5, failureThreshold: 4 }, priority: 2 }),
    ];
    const { spec, problems } = merge(rules);
    expect(spec).toEqual({ heartbeat: { failureThreshold: 4 } });
    const of = (here: string, there: string) => ({
      code: "E_DEFAULTS_CONFLICT",
      severity: "error",
      file: `${here}.yaml`,
      line: 3,
      column: 2,
      message: `heartbeat.periodSeconds of cluster fleet/a is set here and differently in ${there}.yaml:3, both with priority 2`,
      object: `ClusterDefaults/${here}`,
    });
    expect(problems).toEqual([of("a", "b"), of("b", "a")]);
  });

  it("leave the file's spec as it was", () => {
    const spec = { heartbeat: { failureThreshold: 2 } };
    merge([rule("r", slow)], spec);
    expect(spec).toEqual({ heartbeat: { failureThreshold: 2 } });
  });
});
