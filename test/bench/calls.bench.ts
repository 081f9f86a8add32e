// What the fleet asks of the hub's API server, counted in its audit log: for a join, for a changed label, in idle time.
// Needs KUBEBUILDER_ASSETS. The table of docs/api-calls.md is made of what this prints.
import { setTimeout as pause } from "node:timers/promises";
import { describe, it } from "vitest";
import { resourceTypes } from "../../src/model/resource-types.ts";
import type { AuditedCall } from "../support/audit-log.ts";
import { hasControlPlane } from "../support/control-plane.ts";
import type { DaemonPlane } from "../support/daemon-plane.ts";
import { daemonNamespace, fileOf, planeWorkspace, startDaemonPlane } from "../support/daemon-plane.ts";
import { joinByToken } from "../support/join-by-token.ts";

const daemonUser = `system:serviceaccount:${daemonNamespace}:rollcall`;
const fleetUsers = `system:serviceaccount:${planeWorkspace}:`;
const names = { byKubeconfig: ["k-1", "k-2", "k-3"], byToken: ["t-1", "t-2", "t-3"] };
const idleMinutes = Number(process.env["ROLLCALL_IDLE_MINUTES"] ?? "5");

describe.skipIf(!hasControlPlane())("calls", () => {
  it(
    "counts what each step costs",
    async () => {
      const session = await startDaemonPlane();
      try {
        await measure(session);
      } finally {
        await session.close();
      }
    },
    (idleMinutes + 8) * 60_000,
  );
});

async function measure(session: DaemonPlane): Promise<void> {
  const count = names.byKubeconfig.length;
  const kubeconfig = Buffer.from(session.plane.kubeconfig).toString("base64");
  for (const name of names.byKubeconfig) {
    const metadata = { name: `${name}-kubeconfig`, namespace: planeWorkspace };
    await session.create({ apiVersion: "v1", kind: "Secret", metadata, data: { value: kubeconfig } });
  }
  await session.repository.commit({ files: { "door.yaml": fileOf("ClusterRegistrationToken", "door", {}) } });
  await session.startDaemon({ args: ["--interval", "10s"] });
  let before = await untilQuiet(session);
  const step = async (title: string, clusters: number): Promise<void> => {
    const all = await untilQuiet(session);
    print(title, all.slice(before.length), clusters);
    before = all;
  };

  await session.repository.commit({ files: filesWith("a", names.byKubeconfig) });
  for (const name of names.byKubeconfig) {
    const ref = { type: resourceTypes.deployment, namespace: `agent-${name}`, name: "rollcall-agent" };
    await session.until(ref, (object) => object !== undefined);
    await session.startAgent(`agent-${name}`);
  }
  for (const name of names.byKubeconfig) await session.untilReady(name);
  await step("join by kubeconfig", count);

  for (const name of names.byToken) await joinByToken(session, "door", name);
  for (const name of names.byToken) await session.untilReady(name);
  await step("join by token", count);

  await session.repository.commit({ files: filesWith("b", names.byKubeconfig) });
  for (const name of names.byKubeconfig) {
    const ref = { type: resourceTypes.cluster, namespace: planeWorkspace, name };
    await session.until(ref, (object) => object?.metadata.labels?.["wave"] === "b");
  }
  await step("label change", count);

  await pause(idleMinutes * 60_000);
  const idle = (await callsOf(session)).slice(before.length);
  print(`idle, ${idleMinutes} minutes, as an hour`, idle, (count * 2 * idleMinutes) / 60);
  const leases = idle.filter(isElection).length;
  console.log(
    `  of it leader election, whatever the number of clusters: ${Math.round((leases * 60) / idleMinutes)} an hour`,
  );
}

async function callsOf(session: DaemonPlane): Promise<AuditedCall[]> {
  return session.callsBy((user) => user === daemonUser || user.startsWith(fleetUsers));
}

function isElection({ resource, namespace }: AuditedCall): boolean {
  return resource === "leases" && namespace === daemonNamespace;
}

/** Resolves when no client wrote anything but Leases for ten seconds. */
async function untilQuiet(session: DaemonPlane): Promise<AuditedCall[]> {
  const isWrite = ({ verb, resource }: AuditedCall) =>
    !["get", "list", "watch"].includes(verb) && resource !== "leases";
  for (;;) {
    const calls = await callsOf(session);
    const last = calls.findLast(isWrite)?.atMs ?? 0;
    if (Date.now() - last > 10_000) return calls;
    await pause(500);
  }
}

function print(title: string, calls: readonly AuditedCall[], clusters: number): void {
  const rows = new Map<string, number>();
  for (const call of calls.filter((candidate) => !isElection(candidate))) {
    const who = call.user === daemonUser ? "daemon" : "agent";
    const key = `${who.padEnd(6)} ${call.verb.padEnd(6)} ${call.resource || call.path.split("?")[0]} ${call.status >= 300 ? call.status : ""}`;
    rows.set(key, (rows.get(key) ?? 0) + 1);
  }
  const total = [...rows.values()].reduce((sum, value) => sum + value, 0);
  console.log(`\n${title}: ${(total / clusters).toFixed(1)} calls per cluster`);
  for (const [key, value] of [...rows].sort()) console.log(`  ${(value / clusters).toFixed(1).padStart(6)}  ${key}`);
}

function filesWith(wave: string, clusters: readonly string[]): Record<string, string> {
  const specOf = (name: string) => ({
    // All of them are one cluster here, which is else the same member.
    clientID: name,
    kubeConfigSecretRef: { name: `${name}-kubeconfig` },
    agent: { namespace: `agent-${name}` },
  });
  return Object.fromEntries(clusters.map((name) => [`${name}.yaml`, fileOf("Cluster", name, specOf(name), { wave })]));
}
