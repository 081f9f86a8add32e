import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const source = resolve(import.meta.dirname, "../../src");

/**
 * Every call that changes or deletes an object which may be there already, with what holds between the decision and the write:
 * another actor may change, replace or make the object meanwhile. A `create` replaces nothing, and needs none.
 */
const guards: Readonly<Record<string, string>> = {
  "agent/agent-secrets.ts mergePatch": "the version that was read",
  "agent/agent-secrets.ts mergePatch, 2": "the version that was read",
  "agent/leave-fleet.ts delete": "objects of the agent itself, by names that the cluster's administrator gave it",
  "agent/roll-out.ts apply": "the agent's own Deployment; what it becomes is not decided by what it was",
  "agent/send-heartbeats.ts mergePatch": "the agent's own Lease, which only it writes",
  "agent/write-report.ts mergePatch": "the agent's own report, which only it writes",
  "cli/commands/add-cluster.ts apply": "the uid, or that there is none (A277)",
  "cli/commands/apply-agent.ts apply": "what is in the agent's own namespace, or bears its name",
  "cli/commands/apply-agent.ts apply, 2": "the uid, or that there is none (A277)",
  "cli/commands/join-address.ts delete": "the uid",
  "cli/commands/uninstall-members.ts mergePatch": "a person confirmed the removal, and it was checked again (A275)",
  "cli/commands/uninstall-remains.ts delete": "the uid (A275)",
  "daemon/dry-run-changes.ts apply": "a dry run",
  "daemon/keep-public-objects.ts apply": "names of the daemon in a namespace of its own",
  "daemon/keep-public-objects.ts delete": "the uid",
  "daemon/leadership.ts update": "the version, as each update",
  "daemon/take-install-manifest.ts delete": "the uid",
  "daemon/take-install-manifest.ts mergePatch": "uid and version: the address serves once",
  "daemon/wire-repository.ts apply": "the leader alone, and its options outrank what is there",
  "demo/adopt-status-branch.ts mergePatch": "no other process has the demo's hub",
  "demo/up-downstream-cluster.ts apply": "no other process has the demo's cluster",
  "demo/up-prepare-hub.ts apply": "no other process has the demo's hub",
  "demo/up-prepare-hub.ts apply, 2": "no other process has the demo's hub",
  "demo/up-prepare-hub.ts delete": "no other process has the demo's hub",
  "hub/execute-changes.ts apply": "the uid, or that there is none; the owner is compared again (A217, A262)",
  "hub/execute-changes.ts delete": "uid and version of the plan",
  "hub/execute-changes.ts mergePatch": "uid and version of the plan",
  "hub/execute-changes.ts mergePatch, 2": "the version of the plan (A265)",
  "hub/execute-changes.ts mergePatch, 3": "uid and version of the plan",
  "hub/hub-writer.ts apply": "a status: the uid, and the version it was computed from",
  "hub/hub-writer.ts apply, 2": "a kind that is not watched: its name is the hub's own",
  "hub/hub-writer.ts apply, 3": "the uid, or that there is none; of a state the one it was computed from (A263)",
  "hub/hub-writer.ts delete": "what the caller gives: uid and version",
  "hub/hub-writer.ts delete, 2": "what the caller gives: uid and version",
  "hub/hub-writer.ts mergePatch": "what the caller gives",
  "hub/members/downstream.ts apply":
    "a namespace: the uid, or that there is none (A264); the rest is in it, or bears its name",
  "hub/members/downstream.ts delete": "uid and version (A264)",
  "hub/members/left-behind.ts mergePatch": "the version that was read",
  "hub/trust-key.ts mergePatch": "the leader alone, which reads it again at each term",
  "hub/watch-record.ts update": "the version, as each update",
  "install/apply-as-found.ts apply": "the uid, or that there is none (A276)",
  "install/raise-data-format.ts mergePatch": "the version that was read",
  "operations/operations.ts mergePatch": "what a person orders, whatever was there",
  "publish/publish.ts apply": "a status: the version it was computed from",
  "publish/publish.ts apply, 2": "the uid; without force where none was seen",
  "publish/publish.ts apply, 3": "a status: the uid",
  "publish/publish.ts delete": "uid and version",
  "publish/retire-secret.ts delete": "uid and version of the mark",
  "publish/retire-secret.ts mergePatch": "the uid",
  "publish/retire-secret.ts mergePatch, 2": "uid and version",
  "reconcile/apply-status.ts apply": "the version it was computed from",
  "reconcile/hub-writers.ts apply": "a dry run",
  "recovery/replace-trust-key.ts mergePatch": "the version that was read",
  "recovery/restore-fleet.ts apply": "no daemon works on the hub, and what it knows is not restored",
  "recovery/restore-fleet.ts apply, 2": "no daemon works on the hub, and what it knows is not restored",
  "recovery/restore-older-copy.ts apply": "no daemon works on the hub, so no agent is admitted",
  "recovery/restore-older-copy.ts mergePatch": "uid and version: a person may revoke meanwhile",
  "recovery/restore-older-copy.ts mergePatch, 2": "no daemon works on the hub, so no token is used",
  "recovery/restore-trust-key.ts mergePatch": "no daemon works on the hub",
};

/** `file verb`, and from the second call of a verb on its number in the file. */
function writesOf(file: string): string[] {
  const counts = new Map<string, number>();
  const calls = readFileSync(join(source, file), "utf8").matchAll(/\b\w*[aA]pi\.(apply|mergePatch|delete|update)\(/gu);
  return [...calls].map(([, verb = ""]) => {
    const count = (counts.get(verb) ?? 0) + 1;
    counts.set(verb, count);
    return `${file} ${verb}${count === 1 ? "" : `, ${count}`}`;
  });
}

describe("a write to a hub or a cluster", () => {
  it("has a guard that is named here: what was checked is what is written", () => {
    const files = readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !/^(?:embedded-|kube\/|web\/dashboard\/browser)/u.test(name))
      .sort();
    expect(files.flatMap(writesOf).sort()).toEqual(Object.keys(guards).sort());
  });
});
