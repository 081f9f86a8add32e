import { describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { runAsLeader } from "../../../src/kube/leader-election.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { longestWaitMs } from "../../support/until.ts";
import { soon } from "./hub-session.ts";
import type { HubSession } from "./hub-session.ts";

export function describeLeases(hub: HubSession): void {
  describe("leases", () => {
    it("make one of several candidates the leader, and another one when it leaves", async () => {
      const namespace = await hub.newNamespace();
      const leading = new Set<string>();
      let most = 0;
      const candidates = ["one", "two", "three"].map((identity) => {
        const stopping = new AbortController();
        const done = runAsLeader(hub.adminWith({}), {
          namespace,
          name: "leader",
          identity,
          clock: realClock,
          random: realRandom,
          signal: stopping.signal,
          // No leader loses its Lease because the machine is slow: each releases it.
          leaseDurationMs: 2 * longestWaitMs,
          renewDeadlineMs: longestWaitMs,
          retryPeriodMs: 200,
          onLeading: async (signal) => {
            leading.add(identity);
            most = Math.max(most, leading.size);
            await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
            leading.delete(identity);
          },
        });
        return { identity, stopping, done };
      });
      const former: string[] = [];
      while (former.length < candidates.length) {
        await expect.poll(() => leading.size, soon).toBe(1);
        const [leader = ""] = leading;
        expect(former).not.toContain(leader);
        const lease = await hub.admin.get({ type: resourceTypes.lease, namespace, name: "leader" });
        expect(textAt(lease, "spec", "holderIdentity")).toBe(leader);
        former.push(leader);
        const candidate = candidates.find(({ identity }) => identity === leader);
        candidate?.stopping.abort();
        await candidate?.done;
      }
      expect(most).toBe(1);
      const lease = await hub.admin.get({ type: resourceTypes.lease, namespace, name: "leader" });
      expect(textAt(lease, "spec", "holderIdentity") ?? "").toBe("");
    });
  });
}
