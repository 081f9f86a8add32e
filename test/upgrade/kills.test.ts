import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { buildScript } from "../support/build-script.ts";
import { countOfRun } from "../support/full-counts.ts";
import { makeTempFolder } from "../support/git-repositories.ts";
import { until } from "../support/until.ts";
import type { Program } from "./program.ts";
import { loadProgram, today } from "./program.ts";
import { dataOf, isReportOfUnderWay, reportOfStatusCommit } from "./recorded-writes.ts";
import type { FleetRoles, Recording } from "./recording.ts";
import { listRecordings, readRecording, unpackRepository } from "./recording.ts";
import { resumeAgent } from "./running-agent.ts";
import type { RunningFleet } from "./running-fleet.ts";
import { keysOf, nameIn, renewalsOf, startFleet } from "./running-fleet.ts";
import { shiftDate } from "./shifted-date.ts";

const { cluster, clusterRegistration, clusterRegistrationToken } = resourceTypes;
/** How often the upgrade of each recording is killed: docs/install.md has the result of 100. */
const kills = Number(process.env["ROLLCALL_UPGRADE_KILLS"] ?? countOfRun({ full: 10, short: 5 }));
const killsOfOne = Math.min(kills, 20);

interface Ended {
  readonly signal: string | null;
  readonly writes: readonly string[];
  /** Of the daemon to the hub; undefined where it was killed. */
  readonly requests: number | undefined;
}

/** A credential whose issue was not recorded yet is deleted, and the next number is issued: that agent joins by it. */
function isIssuedAgain({ joining }: FleetRoles, write: string): boolean {
  const [, namespace, name] = /^(?:apply|delete) Secret ([^/]+)\/rollcall-(.+)\.\d+$/u.exec(write) ?? [];
  return joining.includes(`${namespace}/${name}`);
}

describe.each(await listRecordings())("an upgrade of %s that is killed again and again", (name) => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let bundle: string;
  let script: string;
  let recording: Recording;

  beforeAll(async () => {
    folder = await makeTempFolder();
    // Beside the packages, one of which is machine code.
    bundle = await mkdtemp(join(today, "node_modules/.upgrade-"));
    script = await buildScript(join(import.meta.dirname, "killed-process.ts"), bundle, { leavesPackages: true });
    ({ recording } = await readRecording(name));
  });
  afterAll(async () => {
    await rm(bundle, { recursive: true });
    await folder.remove();
  });

  /** What the recorded version left behind, in a folder of its own. */
  async function restore(number: number) {
    const parent = join(folder.path, String(number));
    const { settings } = recording;
    const place = { dir: join(parent, "hub"), repositoryPath: join(parent, "fleet.git"), settings };
    const { backup } = await loadProgram(today);
    await backup.restoreBackup(place.dir, (await readRecording(name)).backup, "the test");
    await unpackRepository(name, place.repositoryPath);
    return place;
  }

  async function start(place: Awaited<ReturnType<typeof restore>>, killAt: number): Promise<Ended> {
    const { dir, repositoryPath, settings } = place;
    const numbers = [recording.recordedAtMs, killAt].map(String);
    const args = [script, dir, repositoryPath, JSON.stringify(settings), ...numbers];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const signal = new Promise<string | null>((resolve) => child.on("close", (_, by) => resolve(by)));
    const lines = (await text(child.stdout)).split("\n").filter(Boolean);
    const [, requests] = /^requests: (\d+)$/u.exec(lines.at(-1) ?? "") ?? [];
    return {
      signal: await signal,
      writes: requests === undefined ? lines : lines.slice(0, -1),
      requests: requests === undefined ? undefined : Number(requests),
    };
  }

  it(
    `makes no other write, removes nothing, and no agent registers again (${kills} kills)`,
    { timeout: 3_600_000 },
    async () => {
      const whole = await start(await restore(0), 0);
      expect(whole).toMatchObject({ signal: null });
      const requests = whole.requests ?? 0;
      expect(requests).toBeGreaterThan(killsOfOne);

      let killed = 0;
      for (let round = 1; killed < kills; round++) {
        const place = await restore(round);
        const writes: string[] = [];
        for (let number = 0; number < killsOfOne && killed < kills; number++) {
          // Each start of a round comes further than the one before, and each round dies at other requests.
          const killAt =
            Math.ceil(((number + (round - 1) / Math.ceil(kills / killsOfOne)) / killsOfOne) * requests) + 1;
          const ended = await start(place, killAt);
          writes.push(...ended.writes);
          // What is done already is not asked for again: a later start may have fewer requests.
          if (ended.signal === "SIGKILL") killed += 1;
          else if (number === 0) throw new Error(`no kill at request ${killAt}: ${JSON.stringify(ended)}`);
          else break;
        }
        writes.push(...(await start(place, 0)).writes, ...(await start(place, 0)).writes);
        const { roles } = recording;
        const isReport = (write: string) => isReportOfUnderWay(roles, write);
        const isExpected = (write: string) =>
          recording.writes.includes(write) || isReport(write) || isIssuedAgain(roles, write);
        expect(dataOf(writes).filter((write) => !isExpected(write))).toEqual([]);
        // Once it is done, it is done; what waits for an agent may be reported later.
        const later = dataOf((await start(place, 0)).writes);
        expect(later.filter((write) => !isReport(write) && write !== reportOfStatusCommit)).toEqual([]);
        await expectSteady(place);
      }
      expect(killed).toBe(kills);
    },
  );

  /** The clusters are there, and agents continue with what they have. */
  async function expectSteady(place: Awaited<ReturnType<typeof restore>>): Promise<void> {
    const endShift = shiftDate(recording.recordedAtMs);
    const program = await loadProgram(today);
    const fleet = await startFleet(program, place);
    const { clusters, steady, joining, tokens } = recording.roles;
    try {
      const registered = await keysOf(fleet, clusterRegistration);
      await fleet.startDaemon();
      await fleet.settle();
      for (const [key, uses] of Object.entries(tokens)) {
        const [namespace = "", name = ""] = key.split("/");
        const token = await fleet.api.get({ type: clusterRegistrationToken, namespace, name });
        expect(token?.["status"], key).toMatchObject({ uses });
      }
      await Promise.all([...steady, ...joining].map((key) => expectHeard(fleet, program, key)));
      expect((await keysOf(fleet, clusterRegistration)).filter((key) => !registered.includes(key))).toEqual([]);
      const kept = await keysOf(fleet, cluster);
      expect(clusters.filter((key) => !kept.includes(key))).toEqual([]);
    } finally {
      await fleet.stop();
      endShift();
    }
  }

  async function expectHeard(fleet: RunningFleet, program: Program, key: string): Promise<void> {
    const renewals = () => renewalsOf(fleet, [key]);
    const [before] = await renewals();
    const name = nameIn(key);
    const data = recording.agents[name] ?? {};
    const running = await resumeAgent(program, { name, data, hubUrl: fleet.hubUrl });
    await until(renewals, ([now]) => now !== before);
    expect(running.said("joined the hub"), key).toBe(recording.roles.joining.includes(key) ? 1 : 0);
    await running.stop();
  }
});
