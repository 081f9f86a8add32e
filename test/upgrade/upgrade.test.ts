import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { conditionOf } from "../contract/agent/fleet-helpers.ts";
import { callHub } from "../support/call-hub.ts";
import { makeTempFolder, runGit } from "../support/git-repositories.ts";
import { until } from "../support/until.ts";
import type { Program } from "./program.ts";
import { loadProgram, today } from "./program.ts";
import {
  dataOf,
  grantedIn,
  isReportOfUnderWay,
  reportOfStatusCommit,
  withoutServedRequests,
} from "./recorded-writes.ts";
import type { FleetRoles, Recording } from "./recording.ts";
import { listRecordings, readRecording, unpackRepository } from "./recording.ts";
import type { AgentData, RunningAgent } from "./running-agent.ts";
import { resumeAgent } from "./running-agent.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { keysOf, nameIn, renewalsOf, startFleet, untilQuiet } from "./running-fleet.ts";
import { shiftDate } from "./shifted-date.ts";

const { cluster, clusterRegistration, configMap } = resourceTypes;
const run = promisify(execFile);

describe.each(await listRecordings())("what %s wrote", (name) => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let recording: Recording;
  let kept: Record<string, AgentData>;
  let older: Program | undefined;
  let newer: Program;
  let endShift: () => void = () => undefined;
  const place = () => ({
    dir: join(folder.path, "hub"),
    repositoryPath: join(folder.path, "fleet.git"),
    settings: recording.settings,
  });

  beforeAll(async () => {
    folder = await makeTempFolder();
    const read = await readRecording(name);
    recording = read.recording;
    kept = { ...recording.agents };
    newer = await loadProgram(today);
    await newer.backup.restoreBackup(place().dir, read.backup, "the test");
    await unpackRepository(name, place().repositoryPath);
    older = await checkOut(join(folder.path, "older"), recording.commit);
    endShift = shiftDate(recording.recordedAtMs);
  });
  afterAll(async () => {
    endShift();
    await folder.remove();
  });

  it("is continued: no write that it would not have made itself, nothing removed, no agent registers again", async () => {
    const { roles } = recording;
    const { writes, clusters, registrations } = await live(newer, newer, agentsOf(roles));
    expect(recording.writes.length).toBeGreaterThan(0);
    // Whether these come before the agents do, depends on how busy the machine is.
    const isExpected = (write: string) => recording.writes.includes(write) || isReportOfUnderWay(roles, write);
    expect(dataOf(writes).filter((write) => !isExpected(write))).toEqual([]);
    const removed = roles.clusters.filter((key) => !clusters.includes(key));
    expect(removed.filter((key) => !(key in roles.moving))).toEqual([]);
    expect(registrations).toEqual([]);
  });

  it("is not changed by a second start", async () => {
    const { writes, removed } = await live(newer, newer, recording.roles.steady);
    expect({ writes, removed }).toEqual({ writes: [], removed: [] });
  });

  it("is continued by the version that wrote it, after today's", async (context) => {
    if (older === undefined) return context.skip(`commit ${recording.commit} is not in this clone`);
    const { writes, removed } = await live(older, newer, recording.roles.steady);
    // What it writes at each start, a status commit may follow, and its report.
    const ofEachStart = recording.writesOfEachStart.flatMap((write) => [write, reportOfStatusCommit]);
    const further = dataOf(writes).filter((write) => !ofEachStart.includes(write));
    expect({ further, removed }).toEqual({ further: [], removed: [] });
  });

  it("is continued by today's daemon and agents of then", async (context) => {
    if (older === undefined) return context.skip(`commit ${recording.commit} is not in this clone`);
    const { writes, removed } = await live(newer, older, recording.roles.steady);
    expect({ writes: dataOf(writes), removed }).toEqual({ writes: [], removed: [] });
  });

  /** Starts a hub and daemon, then agents with what they kept, and resolves once each of them has sent a heartbeat. */
  async function live(program: Program, agentProgram: Program, keys: readonly string[]) {
    const { joining, changing } = recording.roles;
    const fleet = await startFleet(program, place());
    const agents = new Map<string, RunningAgent>();
    try {
      const requests = (await fleet.api.list(clusterRegistration)).items;
      const asked = await keysOf(fleet, clusterRegistration);
      const before = await keysOf(fleet, cluster);
      const recorded = await readStatusPage(place().repositoryPath);
      await fleet.startDaemon();
      await fleet.settle();
      // A version that writes another form of the status page reports its commit.
      const isNewForm = (await readStatusPage(place().repositoryPath)) !== recorded;
      const all = [...new Set(fleet.writes)].filter((write) => !(isNewForm && write === reportOfStatusCommit));
      const writes = withoutServedRequests(all, grantedIn(requests, fleet.writes));
      await checkForeign(fleet, recording);
      await Promise.all(keys.map(async (key) => agents.set(key, await heardAgain(fleet, agentProgram, key))));
      for (const [key, agent] of agents)
        expect(agent.said("joined the hub"), JSON.stringify(agent.lines)).toBe(joining.includes(key) ? 1 : 0);
      for (const key of keys.filter((one) => changing.includes(one))) await untilUpToDate(fleet, key);
      await untilQuiet(fleet);
      const clusters = await keysOf(fleet, cluster);
      const registrations = (await keysOf(fleet, clusterRegistration)).filter((key) => !asked.includes(key));
      return { writes, clusters, removed: before.filter((key) => !clusters.includes(key)), registrations };
    } finally {
      for (const [key, agent] of agents) {
        await agent.stop();
        kept[nameIn(key)] = await agent.data();
      }
      await fleet.stop();
    }
  }

  async function heardAgain(fleet: RunningFleet, program: Program, key: string): Promise<RunningAgent> {
    const { [key]: successor } = recording.roles.moving;
    const renewals = () => renewalsOf(fleet, successor === undefined ? [key] : [key, successor]);
    const before = await renewals();
    const name = nameIn(key);
    const running = await resumeAgent(program, { name, data: kept[name] ?? {}, hubUrl: fleet.hubUrl });
    await until(renewals, (now) => now.some((renewal, index) => renewal !== before[index]));
    return running;
  }
});

/** Those that have something to continue with. */
function agentsOf({ steady, joining, changing, moving }: FleetRoles): string[] {
  return [...steady, ...joining, ...changing, ...Object.keys(moving)];
}

async function untilUpToDate({ api }: RunningFleet, key: string): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  await until(
    () => api.get({ type: cluster, namespace, name }),
    (seen) => conditionOf(seen, "AgentUpToDate") === "True",
  );
}

async function readStatusPage(repositoryPath: string): Promise<string> {
  return runGit(repositoryPath, ["show", "rollcall/status:README.md"]);
}

async function checkForeign({ hubUrl, api }: RunningFleet, { foreign }: Recording): Promise<void> {
  const root = await api.get({ type: configMap, namespace: "kube-system", name: "kube-root-ca.crt" });
  const ca = textAt(root, "data", "ca.crt") ?? "";
  for (const [name, { token, path }] of Object.entries(foreign)) {
    const { status } = await callHub({ server: hubUrl, ca, token, method: "GET", path });
    expect(status, name).toBe(200);
  }
}

/** The program of a commit, with the packages of today; undefined where the clone has no such commit. */
async function checkOut(path: string, commit: string): Promise<Program | undefined> {
  const archive = await run("git", ["-C", today, "cat-file", "-e", `${commit}^{commit}`]).catch(() => undefined);
  if (archive === undefined) return undefined;
  await mkdir(path);
  const tar = `${path}.tar`;
  await run("git", ["-C", today, "archive", `--output=${tar}`, commit, "src", "schemas", "package.json"]);
  await run("tar", ["-xf", tar, "-C", path]);
  await symlink(join(today, "node_modules"), join(path, "node_modules"));
  return loadProgram(path);
}
