import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { describeError } from "../../../src/core/errors.ts";
import type { CommitRequest, GitEngine } from "../../../src/git/git.ts";
import { openIsomorphicEngine } from "../../../src/git/engine/http-engine.ts";
import type { HttpEngineOptions } from "../../../src/git/engine/http-engine.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import type { GitHttpServer, GitHttpServerOptions } from "../../support/git-http-server.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { realRandom } from "../../support/real-time.ts";

export interface HttpFixture {
  readonly folder: string;
  /** Where the engine's packs are. */
  readonly packFolder: string;
  readonly repository: TestRepository;
  readonly server: GitHttpServer;
  /** Engines share one cache folder: only one may be open at a time. */
  readonly open: (options?: Partial<HttpEngineOptions>) => Promise<GitEngine>;
}

/** An empty repository behind a server, which end with the test. */
export async function setUpHttp(
  options: Partial<GitHttpServerOptions> & { readonly objectFormat?: string } = {},
): Promise<HttpFixture> {
  const { path: folder, remove } = await makeTempFolder();
  onTestFinished(remove);
  const { objectFormat = "sha1" } = options;
  const repository = await createRepository(join(folder, "fleet.git"), { objectFormat });
  const server = await startGitHttpServer({ root: folder, ...options });
  onTestFinished(() => server.close());
  const cacheDir = join(folder, "cache");
  const open = async (engineOptions: Partial<HttpEngineOptions> = {}): Promise<GitEngine> => {
    const url = server.urlOf("fleet.git");
    const engine = await openIsomorphicEngine({ url, cacheDir, random: realRandom, ...engineOptions });
    onTestFinished(() => engine.close());
    return engine;
  };
  return { folder, packFolder: join(cacheDir, "repository.git", "objects", "pack"), repository, server, open };
}

export function statusRequest(parent: string | undefined, files: Record<string, string>): CommitRequest {
  const author = { name: "Rollcall", email: "rollcall@example.org" };
  const changes = new Map(Object.entries(files));
  return { branch: "status", parent, changes, message: "status\n", author, committedAtMs: 1_800_000_000_000 };
}

/** What a promise rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it did not fail");
}

/** Everything that a log could show of an error. */
export function allText(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return [describeError(error), stack, JSON.stringify(error), cause === undefined ? "" : allText(cause)].join("\n");
}

/** How many objects each pack of a folder has. */
export async function packCounts(packFolder: string): Promise<number[]> {
  const names = (await readdir(packFolder)).filter((name) => name.endsWith(".pack"));
  const counts = names.map(async (name) => (await readFile(join(packFolder, name))).readUInt32BE(8));
  return (await Promise.all(counts)).sort((a, b) => a - b);
}
