import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { objectAt, textAt } from "../../../../src/core/read-json.ts";
import { findMissingRights } from "../../../../src/daemon/check/missing-rights.ts";
import type { NeededRights } from "../../../../src/daemon/check/needed-rights.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

/** What the hub was asked: `patch clusters/status.rollcall.dev c1 in fleet`, or the namespace whose rules it listed. */
interface Asked {
  readonly reviews: string[];
  readonly ruleLists: string[];
  readonly names: unknown[];
}

/** A hub that allows these rights, and lists these rules to the caller. */
function hubWith({
  allowed = [],
  listed = {},
}: {
  allowed?: readonly string[];
  listed?: Record<string, JsonObject[]>;
}) {
  const asked: Asked = { reviews: [], ruleLists: [], names: [] };
  const hubApi = {
    create: async (review: KubeObject) => {
      asked.names.push([review.apiVersion, review.metadata.name]);
      if (review.kind === "SelfSubjectRulesReview") {
        const namespace = textAt(review, "spec", "namespace") ?? "";
        asked.ruleLists.push(namespace);
        return { ...review, status: { resourceRules: listed[namespace] ?? [] } };
      }
      const about = objectAt(review, "spec", "resourceAttributes");
      const [verb, resource, subresource, group, name, namespace] = [
        ...["verb", "resource", "subresource", "group", "name", "namespace"].map((field) => textAt(about, field)),
      ];
      const what = `${resource}${subresource === undefined ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;
      const right = `${verb} ${what}${name === undefined ? "" : ` ${name}`}${namespace === undefined ? "" : ` in ${namespace}`}`;
      asked.reviews.push(right);
      return { ...review, status: { allowed: allowed.includes(right) } };
    },
  } as unknown as KubeApi;
  const find = (needed: readonly NeededRights[]) => findMissingRights(hubApi, needed, new AbortController().signal);
  return { asked, find };
}

const clusters = { why: "follows them", apiGroups: ["rollcall.dev"], resources: ["clusters"], verbs: ["get", "watch"] };
const status = { why: "reports", apiGroups: ["rollcall.dev"], resources: ["clusters/status"], verbs: ["patch"] };
const key = { why: "signs", apiGroups: [""], resources: ["secrets"], resourceNames: ["a", "b"], verbs: ["get"] };
const rule = (group: string, resource: string, verb: string): JsonObject => ({
  apiGroups: [group],
  resources: [resource],
  verbs: [verb],
});

describe("findMissingRights", () => {
  it("asks an administrator one question", async () => {
    const { asked, find } = hubWith({ allowed: ["* *.*"] });
    expect(await find([{ rules: [clusters] }, { namespace: "fleet", rules: [status] }])).toEqual([]);
    expect(asked.reviews).toEqual(["* *.*"]);
    expect(asked.ruleLists).toEqual([]);
  });

  it("asks for each right of the whole hub, without a list of rules, which hubs make for a namespace only", async () => {
    const { asked, find } = hubWith({ allowed: ["get clusters.rollcall.dev"] });
    expect(await find([{ rules: [clusters] }])).toEqual([
      { namespace: undefined, lines: ["watch clusters.rollcall.dev: follows them"] },
    ]);
    expect(asked.reviews).toEqual(["* *.*", "get clusters.rollcall.dev", "watch clusters.rollcall.dev"]);
    expect(asked.ruleLists).toEqual([]);
    expect(asked.names).toEqual(asked.reviews.map(() => ["authorization.k8s.io/v1", ""]));
  });

  it("asks for what the listed rules of a namespace do not have, and leaves out a place where nothing is missing", async () => {
    const listed = {
      fleet: [rule("rollcall.dev", "clusters", "get"), rule("rollcall.dev", "clusters/status", "patch")],
    };
    const { asked, find } = hubWith({ listed, allowed: ["watch clusters.rollcall.dev in fleet"] });
    expect(await find([{ namespace: "fleet", rules: [clusters, status] }])).toEqual([]);
    expect(asked.ruleLists).toEqual(["fleet"]);
    expect(asked.reviews.slice(1)).toEqual(["watch clusters.rollcall.dev in fleet"]);
  });

  it("has one line for each resource, name and purpose, with its verbs in order", async () => {
    const { asked, find } = hubWith({});
    const needed = [
      { namespace: "fleet", rules: [clusters, status, { ...clusters, why: "shows them", verbs: ["list"] }, key] },
      { namespace: "other", rules: [status] },
    ];
    expect(await find(needed)).toEqual([
      {
        namespace: "fleet",
        lines: [
          "get, watch clusters.rollcall.dev: follows them",
          "patch clusters/status.rollcall.dev: reports",
          "list clusters.rollcall.dev: shows them",
          "get secrets a: signs",
          "get secrets b: signs",
        ],
      },
      { namespace: "other", lines: ["patch clusters/status.rollcall.dev: reports"] },
    ]);
    expect(asked.reviews).toContain("get secrets a in fleet");
  });

  const everyCase: readonly {
    readonly reason: string;
    readonly right: NeededRights["rules"][0];
    readonly rule: JsonObject;
  }[] = [
    { reason: "every group", right: status, rule: rule("*", "clusters/status", "patch") },
    { reason: "every resource", right: status, rule: rule("rollcall.dev", "*", "patch") },
    { reason: "every verb", right: status, rule: rule("rollcall.dev", "clusters/status", "*") },
    { reason: "the subresource of every kind", right: status, rule: rule("rollcall.dev", "*/status", "patch") },
    { reason: "these names", right: key, rule: { ...rule("", "secrets", "get"), resourceNames: ["b", "a"] } },
    { reason: "every name", right: key, rule: { ...rule("", "secrets", "get"), resourceNames: [] } },
  ];
  it.each(everyCase)("takes a listed rule for $reason for the right", async ({ right, rule: given }) => {
    const { asked, find } = hubWith({ listed: { fleet: [given] } });
    expect(await find([{ namespace: "fleet", rules: [right] }])).toEqual([]);
    expect(asked.reviews).toEqual(["* *.*"]);
  });

  const otherCases: readonly {
    readonly reason: string;
    readonly right: NeededRights["rules"][0];
    readonly rule: JsonObject;
  }[] = [
    { reason: "another group", right: status, rule: rule("apps", "clusters/status", "patch") },
    { reason: "another resource", right: status, rule: rule("rollcall.dev", "clusters", "patch") },
    { reason: "another verb", right: status, rule: rule("rollcall.dev", "clusters/status", "get") },
    { reason: "another subresource", right: status, rule: rule("rollcall.dev", "*/scale", "patch") },
    {
      reason: "subresources only",
      right: { ...clusters, verbs: ["get"] },
      rule: rule("rollcall.dev", "*/undefined", "get"),
    },
    {
      reason: "another name",
      right: { ...key, resourceNames: ["a"] },
      rule: { ...rule("", "secrets", "get"), resourceNames: ["b"] },
    },
    {
      reason: "one name where every name is needed",
      right: status,
      rule: { ...rule("rollcall.dev", "clusters/status", "patch"), resourceNames: ["c1"] },
    },
  ];
  it.each(otherCases)("does not take a listed rule for $reason for the right", async ({ right, rule: given }) => {
    const { find } = hubWith({ listed: { fleet: [given] } });
    expect(await find([{ namespace: "fleet", rules: [right] }])).toHaveLength(1);
  });
});
