import { join } from "node:path";
import { describe, onTestFinished } from "vitest";
import type { GitEngine } from "../../../src/git/git.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { GitEngineOptions } from "../../../src/git/engine/open-git-engine.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import type { GitHttpServer } from "../../support/git-http-server.ts";
import { variantsOfRun } from "../../support/full-counts.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { findSshd, startSshGitServer } from "../../support/ssh-git-server.ts";

/** A repository and a way to open engines on it. All of it ends with the test. */
export interface Remote {
  readonly folder: string;
  /** The repository itself, for native git. */
  readonly repository: TestRepository;
  readonly server?: GitHttpServer;
  /** An id of the repository's form, of no object. */
  readonly unknownId: string;
  /** An engine with a cache of its own. */
  readonly open: (options?: Partial<GitEngineOptions>) => Promise<GitEngine>;
}

export interface EngineKind {
  readonly name: string;
  /** How the repository is reached; `folder` without a server's program in between. */
  readonly transport: "http" | "ssh" | "folder";
  readonly skipReason?: string;
  /** The project `full` runs it, `npm test` does not: others there take the same code. */
  readonly isInFullRun?: boolean;
  readonly setUp: () => Promise<Remote>;
}

type ObjectFormat = "sha1" | "sha256";

const sshd = findSshd();

/** `npm test` runs both engines, on a server's program and on a folder, with both forms of ids. */
const engineKinds: readonly EngineKind[] = [
  { name: "isomorphic-git over http, protocol 2", transport: "http", setUp: () => setUpHttp({}) },
  {
    name: "isomorphic-git over http, protocol 1",
    transport: "http",
    isInFullRun: true,
    setUp: () => setUpHttp({ isVersion2: false }),
  },
  { name: "isomorphic-git on a bare folder", transport: "folder", isInFullRun: true, setUp: () => setUpFolder({}) },
  { name: "isomorphic-git on a work tree", transport: "folder", setUp: () => setUpFolder({ isBare: false }) },
  {
    name: "native git over http",
    transport: "http",
    isInFullRun: true,
    setUp: () => setUpHttp({ backend: "native" }),
  },
  {
    name: "native git over http, SHA-256",
    transport: "http",
    isInFullRun: true,
    setUp: () => setUpHttp({ backend: "native", format: "sha256" }),
  },
  { name: "native git on a folder, SHA-256", transport: "folder", setUp: () => setUpFolder({ format: "sha256" }) },
  {
    name: "native git over ssh",
    transport: "ssh",
    isInFullRun: true,
    ...(sshd === undefined ? { skipReason: "no sshd on this machine" } : {}),
    setUp: setUpSsh,
  },
];

/** The suite for each engine of this run; an engine that cannot run here is shown as skipped, with the reason. */
export function describeEngines(what: string, define: (kind: EngineKind) => void): void {
  for (const kind of variantsOfRun(engineKinds)) {
    if (kind.skipReason === undefined) describe(`${what} by ${kind.name}`, () => define(kind));
    else describe.skip(`${what} by ${kind.name} (skipped: ${kind.skipReason})`, () => define(kind));
  }
}

async function setUpHttp(options: {
  readonly isVersion2?: boolean;
  readonly backend?: "native";
  readonly format?: ObjectFormat;
}): Promise<Remote> {
  const folder = await tempFolder();
  const { isVersion2 = true, backend = "auto", format = "sha1" } = options;
  const repository = await createRepository(join(folder, "fleet.git"), { objectFormat: format });
  const server = await startGitHttpServer({ root: folder, isVersion2 });
  onTestFinished(() => server.close());
  const open = openerOf({ url: server.urlOf("fleet.git"), backend }, folder);
  return { folder, repository, server, open, unknownId: unknownIdOf(format) };
}

async function setUpFolder(options: { readonly isBare?: boolean; readonly format?: ObjectFormat }): Promise<Remote> {
  const folder = await tempFolder();
  const { isBare = true, format = "sha1" } = options;
  const path = join(folder, isBare ? "fleet.git" : "fleet");
  const repository = await createRepository(path, { isBare, objectFormat: format });
  return { folder, repository, open: openerOf({ url: path }, folder), unknownId: unknownIdOf(format) };
}

async function setUpSsh(): Promise<Remote> {
  const folder = await tempFolder();
  const repository = await createRepository(join(folder, "fleet.git"));
  const server = await startSshGitServer(sshd ?? "", join(folder, "sshd"));
  onTestFinished(() => server.close());
  const ssh = { identity: server.identity, knownHosts: server.knownHosts };
  const open = openerOf({ url: server.urlOf(repository.path), ssh }, folder);
  return { folder, repository, open, unknownId: unknownIdOf("sha1") };
}

function openerOf(target: Pick<GitEngineOptions, "url" | "backend" | "ssh">, folder: string): Remote["open"] {
  let count = 0;
  return async (options = {}) => {
    const cacheDir = join(folder, `cache-${count++}`);
    const defaults = { ...target, cacheDir, isLocalAllowed: true, clock: realClock, random: realRandom };
    const engine = await openGitEngine({ ...defaults, ...options });
    onTestFinished(() => engine.close());
    return engine;
  };
}

function unknownIdOf(format: ObjectFormat): string {
  return "aa".padStart(format === "sha1" ? 40 : 64, "0");
}

async function tempFolder(): Promise<string> {
  const folder = await makeTempFolder();
  onTestFinished(folder.remove);
  return folder.path;
}
