import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../src/core/read-json.ts";
import { leadership } from "../../src/daemon/leadership.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { AuditedCall } from "../support/audit-log.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace, startDaemonPlane } from "../support/daemon-plane.ts";
import type { RunningProgram } from "../support/run-program.ts";
import { longestFailoverMs } from "../support/longest-failover-ms.ts";
import { elapsedOfThisMachine } from "../support/of-this-machine.ts";
import { until } from "../support/until.ts";

const { cluster, lease } = resourceTypes;
const names = Array.from({ length: 40 }, (_, index) => `c-${index}`);
const leases = ["rollcall-hub", "rollcall-repository"];

// Three accounts with the same rights, so that the audit log shows which process asked.
describe("two daemons on a real kube-apiserver", () => {
  let session: DaemonPlane;
  let first: RunningProgram;
  let second: RunningProgram;

  beforeAll(async () => {
    session = await startDaemonPlane({ accounts: ["first", "second", "third"] });
    await session.repository.commit({ files: filesWith("a") });
    first = await startDaemon("first");
    await untilHeldBy("first");
    await untilLabelled("a");
    second = await startDaemon("second");
  });
  afterAll(async () => session.close());

  it("continue under the other within 15 s when the leader is killed amid its writes: each object is written once", async () => {
    await session.repository.commit({ files: filesWith("b") });
    await until(
      () => countLabelled("b"),
      (count) => count > 0,
    );
    await first.end("SIGKILL");
    const killedAtMs = performance.now();
    await untilHeldBy("second");
    expect(performance.now() - killedAtMs).toBeLessThan(longestFailoverMs());
    await untilLabelled("b");
    await untilApplied();
    const writes = [...(await writesOf("first")), ...(await writesOf("second"))];
    const counts = new Map(names.map((name) => [name, writes.filter((call) => call.name === name).length]));
    // Once by the commit that made it, once by the one that changed it, under any leader. What was on its way when its
    // sender was killed is on the hub, and may be missing here: no process was left to answer.
    expect([...counts].filter(([, count]) => count > 2)).toEqual([]);
    expect(writes.length).toBeGreaterThan(1.5 * names.length);
  });

  it("hand over in under 2 s when the leader receives SIGTERM, and it writes nothing after that", async () => {
    // The best of three, since a machine that others load too may hold up either process.
    let [leader, handoverMs, longestMs] = [second, Number.POSITIVE_INFINITY, 0];
    for (let index = 0; index < 3 && handoverMs >= longestMs; index++) {
      const account = index % 2 === 0 ? "third" : "second";
      const identity = `${account}-${index}`;
      const next = await session.startDaemon({ account, isStandby: true, args: ["--identity", identity] });
      const endedAtMs = performance.now();
      const ended = leader.end("SIGTERM");
      await untilHeldBy(identity);
      handoverMs = performance.now() - endedAtMs;
      // A Lease that is not released takes longer than half of its time on any machine.
      longestMs = Math.min(elapsedOfThisMachine(2000), leadership.leaseDurationMs / 2);
      const goneAtMs = Date.now();
      expect(await ended).toBe(0);
      const former = account === "third" ? "second" : "third";
      const late = (await successfulWrites(former)).filter(({ atMs }) => atMs > goneAtMs);
      expect(late.map(({ path }) => path)).toEqual([]);
      leader = next;
    }
    expect(handoverMs).toBeLessThan(longestMs);
    await session.repository.commit({ files: filesWith("c") });
    await untilLabelled("c");
    expect(await leader.end()).toBe(0);
  });

  function startDaemon(account: string, isStandby = account !== "first"): Promise<RunningProgram> {
    return session.startDaemon({ account, isStandby, args: ["--identity", account] });
  }

  async function untilHeldBy(identity: string): Promise<void> {
    for (const name of leases) {
      const ref = { type: lease, namespace: daemonNamespace, name };
      await session.until(ref, (object) => textAt(object, "spec", "holderIdentity") === identity);
    }
  }

  async function countLabelled(value: string): Promise<number> {
    const labelSelector = `wave=${value}`;
    return (await session.admin.list(cluster, { namespace: planeWorkspace, labelSelector })).items.length;
  }

  async function untilLabelled(value: string): Promise<void> {
    await until(
      () => countLabelled(value),
      (count) => count === names.length,
    );
  }

  async function untilApplied(): Promise<void> {
    const commit = (await session.repository.git("rev-parse", "main")).trim();
    const ref = { type: resourceTypes.repository, namespace: daemonNamespace, name: "fleet" };
    await session.until(ref, (object) => textAt(object, "status", "appliedCommit") === commit);
  }

  async function successfulWrites(account: string): Promise<AuditedCall[]> {
    const calls = await session.calls(account);
    return calls.filter(({ verb, status }) => ["create", "patch", "update", "delete"].includes(verb) && status < 300);
  }

  /** Writes of what git declares; not of status, and not of what the hub sets in the same objects. */
  async function writesOf(account: string): Promise<AuditedCall[]> {
    const writes = await successfulWrites(account);
    return writes.filter(({ resource, path }) => resource === "clusters" && path.includes("fieldManager=rollcall-git"));
  }
});

function filesWith(wave: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [`${name}.yaml`, fileOf("Cluster", name, {}, { wave })]));
}
