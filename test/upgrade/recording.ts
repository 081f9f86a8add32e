import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { runGit } from "../support/git-repositories.ts";
import type { AgentData } from "./running-agent.ts";
import type { FleetSettings } from "./running-fleet.ts";

/** What one version wrote, in the middle of its work. */
export interface Recording {
  /** Of the program that was recorded. */
  readonly commit: string;
  readonly recordedAtMs: number;
  readonly settings: FleetSettings;
  readonly roles: FleetRoles;
  /** What each own agent keeps in its cluster, by cluster. */
  readonly agents: Readonly<Record<string, AgentData>>;
  /** Working credentials of agents of other projects, and a path that each may read. */
  readonly foreign: Readonly<Record<string, { readonly token: string; readonly path: string }>>;
  /** What that version itself wrote when it was started again on this data. */
  readonly writes: readonly string[];
  /** Those that it made again at the start after that, though nothing was left to do. */
  readonly writesOfEachStart: readonly string[];
}

/** What the clusters of a recording were in the middle of. Each is `workspace/name`; its agent has that name. */
export interface FleetRoles {
  /** All that there are. */
  readonly clusters: readonly string[];
  /** Their agents resume, and no commit changes the clusters. */
  readonly steady: readonly string[];
  /** Their agents asked to join, and have no answer yet. */
  readonly joining: readonly string[];
  /** Their agents have another version offered, and take it. */
  readonly changing: readonly string[];
  /** From the former to the new name. */
  readonly moving: Readonly<Record<string, string>>;
  /** How often each token of these joins and of those before was used, once all are done. */
  readonly tokens: Readonly<Record<string, number>>;
}

const recordings = join(import.meta.dirname, "recordings");
const files = { hub: "hub.backup.gz", repository: "fleet.bundle", rest: "recording.json" } as const;

export async function listRecordings(): Promise<string[]> {
  return (await readdir(recordings)).sort();
}

export async function writeRecording(
  name: string,
  { backup, repositoryPath, recording }: { backup: Buffer; repositoryPath: string; recording: Recording },
): Promise<void> {
  const folder = join(recordings, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, files.hub), gzipSync(backup, { level: 9 }));
  await runGit(repositoryPath, ["bundle", "create", "--quiet", join(folder, files.repository), "--all"]);
  await writeFile(join(folder, files.rest), `${JSON.stringify(recording, undefined, 2)}\n`);
}

export async function readRecording(name: string): Promise<{ readonly recording: Recording; readonly backup: Buffer }> {
  const folder = join(recordings, name);
  return {
    recording: JSON.parse(await readFile(join(folder, files.rest), "utf8")) as Recording,
    backup: gunzipSync(await readFile(join(folder, files.hub))),
  };
}

/** The repository as it was, status branch included. */
export async function unpackRepository(name: string, path: string): Promise<void> {
  await runGit(recordings, ["clone", "--quiet", "--mirror", join(recordings, name, files.repository), path]);
  await runGit(path, ["remote", "remove", "origin"]);
}
