import { describe, expect, it } from "vitest";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { Given } from "./cluster-status-of.ts";
import { leave, statusOf, well } from "./cluster-status-of.ts";

describe("the settings in force", () => {
  it.each<[Given, Record<string, unknown>]>([
    [{}, { protocol: "rollcall", joinMode: "AgentInitiated", deletionPolicy: "Detach", heartbeatPeriodSeconds: 60 }],
    [{ spec: { protocol: "fleet" } }, { protocol: "fleet", heartbeatPeriodSeconds: 900 }],
    [{ spec: { protocol: "clusternet" } }, { protocol: "clusternet", heartbeatPeriodSeconds: 180 }],
    [
      { spec: { protocol: "fleet", kubeConfigSecretRef: { name: "k" } } },
      { joinMode: "HubInitiated", deletionPolicy: "Uninstall", heartbeatPeriodSeconds: 60, failureThreshold: 3 },
    ],
    // Defaults for many clusters may name a longer period than KubeFleet's agents are configured with.
    [{ spec: { protocol: "kubefleet", heartbeat: { periodSeconds: 3600 } } }, { heartbeatPeriodSeconds: 600 }],
    [{ spec: { protocol: "kubefleet", heartbeat: { periodSeconds: 30 } } }, { heartbeatPeriodSeconds: 30 }],
    [{ spec: { heartbeat: { periodSeconds: 3600 } } }, { heartbeatPeriodSeconds: 3600 }],
    [{ spec: { hubEndpoint: { url: "https://other" } } }, { hubURL: "https://other" }],
    [{ spec: { clientID: "file" }, state: { clientID: "state" } }, { clientID: "file" }],
    [{ state: { clientID: "state" } }, { clientID: "state" }],
  ])("of %j have %j", (given, is) => {
    expect(statusOf(given).effective).toMatchObject({ hubURL: "https://hub", ...is });
  });

  it("have no clientID where none is known", () => {
    expect(statusOf().effective).not.toHaveProperty("clientID");
  });
});

describe("the rest of the status", () => {
  it("leaves out what is not known", () => {
    expect(Object.keys(statusOf())).toEqual(["conditions", "effective"]);
  });

  it("has the generation, the offboarding, the file and what the agent reports", () => {
    const annotations = {
      [annotationKeys.sourceFile]: "a.yaml",
      [annotationKeys.sourceLine]: "4",
      [annotationKeys.sourceCommit]: "c0ffee",
    };
    const facts = { ...well, status: { kubernetesVersion: "v1.35.0" } };
    const seen = statusOf({ metadata: { generation: 2, annotations }, facts, leave });
    expect(seen).toMatchObject({
      kubernetesVersion: "v1.35.0",
      observedGeneration: 2,
      leave,
      source: { file: "a.yaml", line: 4, commit: "c0ffee" },
    });
    expect(seen.conditions?.[0]?.observedGeneration).toBe(2);
    const { source } = statusOf({ metadata: { annotations: { [annotationKeys.sourceFile]: "a.yaml" } } });
    expect(source).toEqual({ file: "a.yaml", line: 1 });
  });

  it.each([
    [
      { token: "edge", initiated: "agent" as const },
      { token: "edge", mode: "AgentInitiated", time: "t" },
    ],
    [{ initiated: "hub" as const }, { mode: "HubInitiated", time: "t" }],
  ])("has the join %j as %j", (join, is) => {
    expect(statusOf({ state: { join: { registration: "r", time: "t", ...join } } }).join).toEqual(is);
  });

  it("names the owner of each label that has one", () => {
    const labels = { file: "1", rule: "1", token: "1", agent: "1", old: "new", none: "1", "rollcall.dev/x": "1" };
    const fieldsV1 = { "f:metadata": { "f:labels": { "f:file": {}, "f:rule": {}, "f:rollcall.dev/x": {} } } };
    const managedFields = [{ manager: "rollcall-git", operation: "Apply", fieldsV1 }];
    const annotations = { [annotationKeys.labelRules]: JSON.stringify({ rule: "eu", file: 7 }) };
    const join = { token: "edge", registration: "r", time: "t", initiated: "agent" as const };
    const given: Given = {
      metadata: { labels, annotations, managedFields } as never,
      state: { join, labels: { token: { token: "1", old: "old" }, agent: { agent: "1", old: "old" } } },
    };
    const owners = { file: "file", rule: "rule eu", token: "token edge", agent: "agent" };
    expect(statusOf(given).labelOwners).toEqual(owners);
    const unknown = { ...given, state: { labels: { token: { token: "1" } } } };
    expect(statusOf(unknown).labelOwners).toEqual({ file: "file", rule: "rule eu", token: "token unknown" });
    const broken = { labels, managedFields, annotations: { [annotationKeys.labelRules]: "[" } };
    expect(statusOf({ metadata: broken as never }).labelOwners).toEqual({ file: "file", rule: "file" });
    expect(statusOf({ metadata: { labels } })).not.toHaveProperty("labelOwners");
    expect(statusOf({ metadata: { labels }, state: {} })).not.toHaveProperty("labelOwners");
  });
});
