import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiOf } from "../../src/daemon/connect-hub.ts";
import { installCrds } from "../../src/install/install-crds.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { readKubeconfig } from "../../src/kube/read-kubeconfig.ts";
import { labelKeys } from "../../src/model/well-known.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { createRepository } from "../support/git-repositories.ts";
import { startProgram } from "../support/run-program.ts";

export const workspace = "fleet";

export interface BenchHub {
  readonly api: KubeApi;
  /** Of the daemon. */
  readonly pid: number;
}

/** A daemon, as a process of its own, that serves another project's agents on a kube-apiserver of its own. */
export async function withServingHub(
  flag: string,
  install: (hubApi: KubeApi, signal: AbortSignal) => Promise<void>,
  work: (hub: BenchHub) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-bench-"));
  const plane = await startControlPlane();
  const api = apiOf(readKubeconfig(await readFile(plane.kubeconfigPath, "utf8")));
  const { signal } = new AbortController();
  await installCrds(api, signal);
  await install(api, signal);
  const namespace = { apiVersion: "v1", kind: "Namespace" };
  const options = { fieldManager: "bench" };
  await api.create({ ...namespace, metadata: { name: "rollcall-system" } }, options);
  await api.create({ ...namespace, metadata: { name: workspace, labels: { [labelKeys.workspace]: "true" } } }, options);
  const repository = await createRepository(join(folder, "fleet.git"));
  const token = "apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata: { name: all }\n";
  await repository.commit({ files: { "token.yaml": token } });
  const daemon = startProgram([
    ...["run", "--repo", repository.path, "--kubeconfig", plane.kubeconfigPath, flag],
    ...["--workspaces", workspace, "--default-workspace", workspace, "--cache-dir", join(folder, "cache")],
  ]);
  try {
    await daemon.untilLine((line) => line.includes('"run finished"'));
    await work({ api, pid: daemon.child.pid ?? 0 });
    if (daemon.child.exitCode !== null) throw new Error("the daemon ended");
  } catch (error) {
    process.stdout.write(
      `exit ${daemon.child.exitCode} ${daemon.child.signalCode}\n${daemon.lines.slice(-20).join("\n")}\n`,
    );
    throw error;
  } finally {
    await daemon.end("SIGKILL");
    await api.close();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds of CPU that a process has used. Source: Linux, proc(5): utime and stime, in hundredths. */
export async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Of the processes that this one started, and that have ended. Source: as above, cutime and cstime. */
export async function cpuSecondsOfEnded(): Promise<number> {
  const fields = await statOf("self");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function statOf(pid: number | "self"): Promise<readonly string[]> {
  return (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
}

/** What each program used since `before`, as text, and all of them together. */
export function describeCpu(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const used = [...after].map(([program, seconds]) => [program, seconds - (before.get(program) ?? 0)] as const);
  const all = used.reduce((sum, [, seconds]) => sum + seconds, 0);
  return `${all.toFixed(1)}(${used.map(([program, seconds]) => `${program}:${seconds.toFixed(1)}`).join(",")})`;
}

export async function residentMB(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/u.exec(text)?.[1] ?? 0) / 1024);
}

/** A line of results. */
export function print(what: string, facts: Record<string, unknown>): void {
  const fields = Object.entries(facts).map(([key, value]) => `${key}=${String(value)}`);
  process.stdout.write(`${what.padEnd(8)} ${fields.join("  ")}\n`);
}
