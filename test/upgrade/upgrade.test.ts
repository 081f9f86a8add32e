import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { callHub } from "../support/call-hub.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
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
import type { Recording } from "./recording.ts";
import { listRecordings, readRecording, unpackRepository } from "./recording.ts";
import type { AgentData, RunningAgent } from "./running-agent.ts";
import { resumeAgent } from "./running-agent.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { startFleet, workspace, writeBackMs } from "./running-fleet.ts";
import { shiftDate } from "./shifted-date.ts";

const { cluster, clusterRegistration, configMap, lease } = resourceTypes;
const run = promisify(execFile);
/** Those of them that had joined, and whose clusters no commit removes or renames. */
const steady = ["asking", "installed"] as const;

describe.each(await listRecordings())("what %s wrote", (name) => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let recording: Recording;
  let kept: Record<string, AgentData>;
  let older: Program | undefined;
  let newer: Program;
  let endShift: () => void = () => undefined;
  const place = () => ({ dir: join(folder.path, "hub"), repositoryPath: join(folder.path, "fleet.git") });

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

  it("is gone on with: no write that it would not have made itself, nothing removed, no one registers again", async () => {
    const { writes, clusters, registrations } = await live(newer, newer, [...steady, "old-name", "half"]);
    expect(recording.writes.length).toBeGreaterThan(0);
    // Whether these come before the agents do, depends on how busy the machine is.
    const further = dataOf(writes).filter((write) => !recording.writes.includes(write) && !isReportOfUnderWay(write));
    expect(further).toEqual([]);
    expect(clusters).toEqual(expect.arrayContaining([...steady, "clusternet-1", "fleet-1", "going", "kubefleet-1"]));
    expect(registrations).toEqual([]);
  });

  it("is left alone by a second start", async () => {
    const { writes } = await live(newer, newer, [...steady]);
    expect(writes).toEqual([]);
  });

  it("is gone on with by the version that wrote it, after today's", async (context) => {
    if (older === undefined) return context.skip(`commit ${recording.commit} is not in this clone`);
    const { writes, clusters } = await live(older, newer, [...steady]);
    expect(dataOf(writes)).toEqual([]);
    expect(clusters).toEqual(expect.arrayContaining([...steady]));
  });

  it("is gone on with by today's daemon and agents of then", async (context) => {
    if (older === undefined) return context.skip(`commit ${recording.commit} is not in this clone`);
    const { writes } = await live(newer, older, [...steady]);
    expect(dataOf(writes)).toEqual([]);
  });

  /** Starts a hub and daemon, then agents with what they kept, and resolves once each of them was heard of. */
  async function live(program: Program, agentProgram: Program, names: readonly string[]) {
    const fleet = await startFleet(program, place());
    const agents: RunningAgent[] = [];
    try {
      const { items: requests } = await fleet.api.list(clusterRegistration, { namespace: workspace });
      const asked = requests.map(({ metadata }) => metadata.name);
      const recorded = await readStatusPage(place().repositoryPath);
      await fleet.startDaemon();
      await fleet.settle();
      // A version that writes another form of the status page reports its commit.
      const isNewForm = (await readStatusPage(place().repositoryPath)) !== recorded;
      const all = [...new Set(fleet.writes)].filter((write) => !(isNewForm && write === reportOfStatusCommit));
      const writes = withoutServedRequests(all, grantedIn(requests, fleet.writes));
      await checkForeign(fleet, recording);
      for (const agent of names) agents.push(await heardAgain(fleet, agentProgram, agent));
      for (const [index, agent] of agents.entries())
        if (names[index] !== "half") expect(agent.said("joined the hub"), JSON.stringify(agent.lines)).toBe(0);
      await untilQuiet(fleet);
      const registrations = (await namesOf(fleet, clusterRegistration)).filter((name) => !asked.includes(name));
      return { writes, clusters: await namesOf(fleet, cluster), registrations };
    } finally {
      for (const [index, agent] of agents.entries()) {
        await agent.stop();
        kept[names[index] ?? ""] = await agent.data();
      }
      await fleet.stop();
    }
  }

  async function heardAgain(fleet: RunningFleet, program: Program, agent: string): Promise<RunningAgent> {
    const renewals = async () =>
      (await fleet.api.list(lease, { namespace: workspace })).items.map(
        (item) => `${item.metadata.name} ${textAt(item, "spec", "renewTime")}`,
      );
    const before = await renewals();
    const running = await resumeAgent(program, { name: agent, data: kept[agent] ?? {}, hubUrl: fleet.hubUrl });
    await until(renewals, (now) => now.some((renewal) => !before.includes(renewal)));
    return running;
  }
});

async function readStatusPage(repositoryPath: string): Promise<string> {
  const { stdout } = await run("git", ["-C", repositoryPath, "show", "rollcall/status:README.md"]);
  return stdout;
}

/** Resolves when all was written that waits for the next status commit, which is made once a second. */
async function untilQuiet(fleet: RunningFleet): Promise<void> {
  let count = fleet.writes.length;
  let sinceMs = performance.now();
  const look = async (): Promise<number> => {
    await fleet.settle();
    if (fleet.writes.length !== count) sinceMs = performance.now();
    count = fleet.writes.length;
    return performance.now() - sinceMs;
  };
  await until(look, (quietMs) => quietMs > 2 * writeBackMs);
}

async function namesOf({ api }: RunningFleet, type: typeof cluster): Promise<string[]> {
  return (await api.list(type, { namespace: workspace })).items.map(({ metadata }) => metadata.name).sort();
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
