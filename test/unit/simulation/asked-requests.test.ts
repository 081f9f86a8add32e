import { describe, expect, it } from "vitest";
import { followAskedRequests } from "../../simulation/invariants/asked-requests.ts";

/** Requests of the agent of one cluster, which a person deleted at `deletedAtMs`. */
function openScene(deletedAtMs?: number) {
  const deletedByHand = new Map(deletedAtMs === undefined ? [] : [["clusternet-2", deletedAtMs]]);
  const requests = followAskedRequests({ deletedByHand });
  const ask = (sentAtMs: number, status = 201, method: "POST" | "PATCH" = "POST"): void =>
    requests.onCall({ client: { name: "agent-clusternet-2" }, request: { method }, sentAtMs, status });
  return { ask, isGone: () => requests.isGone("clusternet-2") };
}

describe("followAskedRequests", () => {
  it("does not expect what was deleted with a Cluster that a person deleted before its agent asks again", () => {
    const { ask, isGone } = openScene(2000);
    ask(1000);
    expect(isGone()).toBe(true);
    ask(3000, 200, "PATCH");
    ask(3000, 403);
    expect(isGone()).toBe(true);
    ask(4000);
    expect(isGone()).toBe(false);
  });

  it("expects the request of a cluster that was not deleted", () => {
    const { ask, isGone } = openScene();
    expect(isGone()).toBe(false);
    ask(1000);
    expect(isGone()).toBe(false);
  });
});
