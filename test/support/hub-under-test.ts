import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Clock } from "../../src/core/clock.ts";
import { silentLog } from "../../src/core/log.ts";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { startEmbeddedHub } from "../../src/embedded-hub/embedded-hub.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { realClock, realRandom } from "./real-time.ts";
import { startControlPlane } from "./control-plane.ts";
import { freePort } from "./free-port.ts";
import { sharedControlPlane } from "./shared-control-plane.ts";
import { neverAborted } from "./never-aborted.ts";

/** A hub for a contract suite: nothing of it is known but a kubeconfig of an administrator. */
export interface HubUnderTest {
  readonly kubeconfig: string;
  /** The definitions of rollcall.dev are served. Default: not known. */
  readonly isReady?: boolean;
  /** Its process ends, and another one starts on the same address with all that was kept. Absent: others use it too. */
  readonly restart?: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A kind of hub that a suite starts for itself, and its name in the titles of tests. */
export interface HubPlace {
  readonly name: string;
  readonly start: () => Promise<HubUnderTest>;
}

/** The real control plane of this run (project kube). */
export function realHub(): Promise<HubUnderTest> {
  return Promise.resolve({ kubeconfig: sharedControlPlane().kubeconfig, stop: () => Promise.resolve() });
}

/** A real control plane that no other test uses, so that its API server may be restarted. */
export async function ownRealHub(): Promise<HubUnderTest> {
  const { kubeconfig, killApiServer, startApiServer, stop } = await startControlPlane();
  const restart = async (): Promise<void> => {
    await killApiServer();
    await startApiServer();
  };
  return { kubeconfig, restart, stop };
}

/** An embedded hub of its own, in this process, on an empty folder. */
export async function embeddedHub(clock: Clock = realClock): Promise<HubUnderTest> {
  return hubIn(await newFolder(), clock);
}

/** What a folder holds, by path. */
type Files = ReadonlyMap<string, Uint8Array>;

/** Numbers of the hubs of this process that are open, and what a hub of each number begins with. */
const openNumbers = new Set<number>();
const filesOfNumber = new Map<number, Files>();

/**
 * The same with the definitions of rollcall.dev in it: a copy of a hub that was started and stopped before, since to make the
 * system's objects and to check the definitions takes most of a start. Hubs that are open at the same time are copies of
 * different hubs. One that was stopped has the keys and the identity of a later one: where a test means a hub and, after it,
 * another one, it starts both on an empty folder.
 */
export async function readyHub(clock: Clock = realClock): Promise<HubUnderTest> {
  let number = 0;
  while (openNumbers.has(number)) number += 1;
  openNumbers.add(number);
  const files = filesOfNumber.get(number) ?? (await filesOfReadyHub());
  filesOfNumber.set(number, files);
  const dir = await newFolder();
  for (const [path, content] of files) {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), content, { mode: 0o600 });
  }
  const hub = await hubIn(dir, clock);
  return { ...hub, isReady: true, stop: () => hub.stop().finally(() => openNumbers.delete(number)) };
}

async function filesOfReadyHub(): Promise<Files> {
  const dir = await newFolder();
  const hub = await startEmbeddedHub({ dir, clock: realClock, random: realRandom, log: silentLog });
  const api = apiOf(readKubeconfig(hub.adminKubeconfig));
  await installCrds(api, neverAborted());
  await api.close();
  await hub.close();
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = await Promise.all(paths.map(async (path) => [relative(dir, path), await readFile(path)] as const));
  await rm(dir, { recursive: true, force: true });
  return new Map(files);
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "rollcall-embedded-hub-"));
}

async function hubIn(dir: string, clock: Clock): Promise<HubUnderTest> {
  const options = { dir, clock, random: realRandom, log: silentLog, port: await freePort() };
  let hub = await startEmbeddedHub(options);
  return {
    kubeconfig: hub.adminKubeconfig,
    restart: async () => {
      await hub.close();
      hub = await startEmbeddedHub(options);
    },
    stop: async () => {
      await hub.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
