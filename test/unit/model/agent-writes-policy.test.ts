import { describe, expect, it } from "vitest";
import { objectsAt, textsAt } from "../../../src/core/read-json.ts";
import { agentWritesPolicy } from "../../../src/model/agent-writes-policy.ts";

describe("agentWritesPolicy", () => {
  it("A104: is for every kind that the account of an agent or of a token may write, also when that creates an object", () => {
    const rules = objectsAt(agentWritesPolicy[0], "spec", "matchConstraints", "resourceRules");
    expect(rules.flatMap((rule) => textsAt(rule, "resources"))).toEqual([
      "leases",
      "clusterreports",
      "clusterregistrations",
    ]);
    for (const rule of rules) expect(textsAt(rule, "operations")).toEqual(["CREATE", "UPDATE"]);
  });
});
