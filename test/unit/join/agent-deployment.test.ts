import { describe, expect, it } from "vitest";
import { foreignDeployment, schedulingOf } from "../../../src/join/agent-deployment.ts";
import type { AgentSettings } from "../../../src/model/generated/agent-settings.ts";

const place = { namespace: "agents", labels: { app: "an-agent", team: "edge" } };

describe("schedulingOf", () => {
  it.each<[AgentSettings, object]>([
    [{}, {}],
    [{ nodeSelector: {}, imagePullSecrets: [], hostNetwork: false }, {}],
    [{ nodeSelector: { disk: "ssd" } }, { nodeSelector: { disk: "ssd" } }],
    [{ tolerations: [{ key: "edge" }] }, { tolerations: [{ key: "edge" }] }],
    [{ priorityClassName: "high" }, { priorityClassName: "high" }],
    [{ imagePullSecrets: [{ name: "pull" }] }, { imagePullSecrets: [{ name: "pull" }] }],
    [{ hostNetwork: true }, { hostNetwork: true }],
    [{ replicas: 3, version: "v1.0.0", logLevel: "debug" }, {}],
  ])("%j gives the Pod %j", (settings, expected) => {
    expect(schedulingOf(settings)).toEqual(expected);
  });
});

describe("foreignDeployment", () => {
  it("runs one Pod that its selector finds, in the place of the agent", () => {
    expect(foreignDeployment("an-agent", place, {}, { spec: { containers: [] } })).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "an-agent", namespace: "agents", labels: place.labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "an-agent" } },
        template: { metadata: { labels: place.labels }, spec: { containers: [] } },
      },
    });
  });

  it.each<[AgentSettings, object]>([
    [{ replicas: 2 }, { replicas: 2 }],
    [{ hostNetwork: true }, { strategy: { type: "Recreate" } }],
  ])("%j makes %j of it", (settings, expected) => {
    expect(foreignDeployment("an-agent", place, settings, { spec: {} })["spec"]).toMatchObject(expected);
  });

  it("puts annotations on the Pods alone, so that another value starts them anew", () => {
    const made = foreignDeployment("an-agent", place, {}, { spec: {}, annotations: { generation: "2" } });
    expect(made.metadata.annotations).toBeUndefined();
    expect(made["spec"]).toMatchObject({ template: { metadata: { annotations: { generation: "2" } } } });
  });
});
