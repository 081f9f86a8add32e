import { describe, expect, it } from "vitest";
import { objectsAt, valueAt } from "../../../../../src/core/read-json.ts";
import { agentDeployment } from "../../../../../src/join/fleet/manifests/agent-deployment.ts";
import type { Cluster } from "../../../../../src/model/generated/cluster.ts";
import { fleetMemberOf } from "../fleet-scene.ts";

const place = { namespace: "cattle-fleet-system", labels: { app: "fleet-agent" } };
const ownPriority = { agentSchedulingCustomization: { priorityClass: { value: 10 } } };

function podOf(spec: Cluster["spec"]): unknown {
  return valueAt(agentDeployment(fleetMemberOf("eu-1", { spec }), place, {}), "spec", "template", "spec");
}

describe("agentDeployment of Fleet", () => {
  it.each<[Cluster["spec"], readonly string[]]>([
    [{}, ["fleetagent"]],
    [{ agent: { logLevel: "warn" } }, ["fleetagent"]],
    [{ agent: { logLevel: "debug" } }, ["fleetagent", "--debug", "--debug-level", "0"]],
    [{ agent: { logLevel: "trace" } }, ["fleetagent", "--debug", "--debug-level", "0"]],
  ])("%j starts %j", (spec, command) => {
    expect(valueAt(objectsAt(podOf(spec), "containers")[0], "command")).toEqual(command);
  });

  it.each<[Cluster["spec"], string | undefined]>([
    [{}, undefined],
    [{ fleet: ownPriority }, "fleet-agent-priority-class"],
    [{ agent: { priorityClassName: "mine" }, fleet: ownPriority }, "mine"],
  ])("%j gives the Pod the priority %s", (spec, name) => {
    expect(valueAt(podOf(spec), "priorityClassName")).toBe(name);
  });

  it("runs on nodes of Linux, beside what the Cluster selects", () => {
    expect(valueAt(podOf({ agent: { nodeSelector: { zone: "a" } } }), "nodeSelector")).toEqual({
      "kubernetes.io/os": "linux",
      zone: "a",
    });
  });
});
