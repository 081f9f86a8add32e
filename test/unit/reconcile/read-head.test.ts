import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { readHead } from "../../../src/reconcile/read-head.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { repository, scopeOf } from "./phase-builders.ts";

type Ports = Parameters<typeof readHead>[1];

interface World {
  readonly head?: string | undefined;
  readonly verified?: string | undefined;
  readonly refusal?: AppError | undefined;
  readonly openedUrl?: string;
  readonly spec?: Partial<Repository["spec"]>;
}

/** The scope after the phase, the branch that was asked for, the commits that were read, and the events. */
async function read(
  { head = "c2", verified = head, refusal, openedUrl, spec = {} }: World,
  fields: Partial<RunScope> = {},
) {
  const asked: string[] = [];
  const commits: string[] = [];
  const events: string[] = [];
  const scope = scopeOf({ repository: { ...repository, spec: { ...repository.spec, ...spec } }, ...fields });
  const ports = {
    git: {
      url: repository.spec.url,
      fetchHead: (branch: string) => {
        asked.push(branch);
        return Promise.resolve(head === "" ? undefined : head);
      },
      listBranches: () => Promise.resolve(new Map([["next", "c9"]])),
    },
    planner: {
      findVerified: () => Promise.resolve({ commit: verified === "" ? undefined : verified, refusal }),
      read: (_repository: Repository, commit: string) => {
        commits.push(commit);
        return Promise.resolve({ commit: { id: commit } });
      },
    },
    openedUrl,
    events: { record: ({ reason }: { reason: string }) => void events.push(reason) },
    log: silentLog,
  };
  await readHead(scope, ports as unknown as Ports);
  return { scope, asked, commits, events };
}

describe("readHead", () => {
  it.each([
    ["main", {}],
    ["release", { ref: { branch: "release" } }],
  ])("reads the newest commit of branch %s", async (branch, spec) => {
    const { scope, asked, commits } = await read({ spec });
    expect([asked, commits, scope.sourceError, scope.unverified]).toEqual([[branch], ["c2"], undefined, undefined]);
    expect(scope.verifiedCommit).toBeUndefined();
    expect(scope.readFrom).toEqual({ url: repository.spec.url, branch });
  });

  const refusal = new AppError("E_UNVERIFIED", "c2 is not signed", { data: { commit: "c2" } });
  const verify = { keys: [] } as unknown as NonNullable<Repository["spec"]["verify"]>;

  it("reads the newest commit that keys vouch for, and reports the one that is refused", async () => {
    const { scope, commits, events } = await read({ verified: "c1", refusal, spec: { verify } });
    expect([commits, scope.verifiedCommit, events]).toEqual([["c1"], "c1", ["UnverifiedCommit"]]);
    expect([scope.unverified, scope.sourceError]).toEqual([refusal, undefined]);
  });

  it.each<[string, World, string]>([
    ["the branch does not exist", { head: "" }, "E_GIT_BRANCH_MISSING"],
    ["no commit is verified", { verified: "", refusal }, "E_UNVERIFIED"],
    ["nobody vouches for any commit", { verified: "" }, "E_UNVERIFIED"],
    ["the daemon follows another address", { openedUrl: "https://other.example.org/x.git" }, "E_GIT_URL"],
  ])("keeps what was read before when %s", async (_reason, world, code) => {
    const snapshot = { commit: { id: "c0" } } as unknown as NonNullable<RunScope["snapshot"]>;
    const readFrom = { url: "https://git.example.org/before.git", branch: "main" };
    const { scope, commits } = await read(world, { snapshot, readFrom });
    expect(scope.sourceError).toMatchObject({ code });
    expect([scope.snapshot, scope.readFrom, commits]).toEqual([snapshot, readFrom, []]);
  });

  it("ends the run when it is stopped", async () => {
    await expect(read({ head: "" }, { signal: AbortSignal.abort(new Error("stopped")) })).rejects.toThrow("stopped");
  });
});
