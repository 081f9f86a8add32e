import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";
import { granted, openRegistrations } from "./registration-world.ts";

describe("decideRegistration", () => {
  it("shows a decision the token that a file declares, and no other", async () => {
    const seen: Record<string, unknown> = {};
    const world = await openRegistrations((name, { token, tokens }) => {
      seen[name] = [token?.name, tokens().map((subject) => subject.name)];
      return { kind: "none" };
    });
    await world.declareToken("edge");
    await world.declareToken("by-hand", "kubectl");
    await world.ask("good", "edge");
    await world.ask("bad", "by-hand");
    await world.reconcile();
    expect(seen).toEqual({ good: ["edge", ["edge"]], bad: [undefined, ["edge"]] });
  });

  it("gives no agent the name of a Cluster that a person created on the hub", async () => {
    const { ask, reconcile, addCluster, asked } = await openRegistrations((name) => granted(name));
    await addCluster("by-hand", { manager: "kubectl" });
    await addCluster("declared", { labels: { "rollcall.dev/repository": "rollcall.fleet" } });
    for (const name of ["by-hand", "declared"]) await ask(name);
    await reconcile();
    expect(asked()).toEqual(["create ConfigMap/rollcall-cluster-declared", "apply Cluster/declared"]);
  });

  it("shows a decision the objects of the workspace that belong to no member and no token", async () => {
    const seen: string[] = [];
    const world = await openRegistrations((_name, { unowned }) => {
      seen.push(...(unowned?.(resourceTypes.secret) ?? []).map(({ metadata }) => metadata.name));
      return { kind: "none" };
    });
    await world.put(coreObject("Secret", "free"));
    await world.put(coreObject("Secret", "owned", { labels: { "rollcall.dev/cluster": "eu-1" } }));
    await world.ask("r");
    await world.reconcile();
    expect(seen).toEqual(["free"]);
  });
});
