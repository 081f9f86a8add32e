import { setMaxListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { planAgainstHub } from "../../../src/daemon/plan-against-hub.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { PlanReport } from "../../../src/model/generated/plan-report.ts";
import type { Repository, RepositorySpec, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import { realClock } from "../../../src/system/real-clock.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { openLocalEngine } from "../../support/local-engine.ts";
import { ed25519Signer } from "../../unit/signatures/signature-builders.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const file = (name: string, spec: object = {}): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name }, spec });

describe("planAgainstHub", () => {
  let session: DaemonSession;
  let git: GitEngine;
  let [first, head] = ["", ""];

  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    const metadata = { name: "signers", namespace: session.namespace };
    const stringData = { team: ed25519Signer().line };
    await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, { fieldManager: "test" });
    first = await session.repository.commit({ files: { "a.yaml": file("a") } });
    head = await session.repository.commit({ files: { "signed/b.yaml": file("b", { protocol: "fleet" }) } });
    git = await openLocalEngine(session.repository.path, `${session.repository.path}.plans`);
    await git.fetchHead("main");
  });
  afterAll(async () => {
    await git.close();
    await session.close();
  });

  interface Given {
    readonly verify?: Omit<NonNullable<RepositorySpec["verify"]>, "keysSecretRef">;
    readonly status?: RepositoryStatus;
    readonly hubApi?: KubeApi;
  }
  function planOf({ verify, status, hubApi = session.api }: Given): Promise<PlanReport> {
    const { signal } = new AbortController();
    setMaxListeners(0, signal);
    const repository: Repository = {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Repository",
      metadata: { name: "fleet", namespace: session.namespace },
      spec: {
        url: session.repository.path,
        defaultWorkspace: session.workspace,
        workspaces: [session.workspace],
        ...(verify ? { verify: { keysSecretRef: { name: "signers" }, ...verify } } : {}),
      },
      ...(status ? { status } : {}),
    };
    return planAgainstHub({ hubApi, git, head, repository, isDryRun: false, nowMs: realClock.nowMs(), signal });
  }
  const namesOf = ({ changes }: PlanReport): string[] => changes.map(({ name }) => name);
  const id = (commit: string): string => commit.slice(0, 12);

  it("is that of the newest commit that keys vouch for, which the daemon would apply, and reports that", async () => {
    const report = await planOf({ verify: { paths: ["signed/"] }, status: { verifiedCommit: first } });
    expect(namesOf(report)).toEqual(["a"]);
    const note = `Commit ${id(head)} is not verified. The daemon applies ${id(first)} instead, and this is its plan.`;
    expect(report.notes).toContain(note);
  });

  it("has no change where keys vouch for no commit, and reports that", async () => {
    const report = await planOf({ verify: {} });
    expect(namesOf(report)).toEqual([]);
    expect(report.notes).toContain(`Commit ${id(head)} is not verified. The daemon applies nothing.`);
  });

  it("does without the commit that was applied last where its history was rewritten", async () => {
    expect(namesOf(await planOf({ status: { observedCommit: "f".repeat(40) } }))).toEqual(["a", "b"]);
  });

  it.each<[string, RepositoryStatus, string]>([
    ["a daemon has not reported yet which agents it serves", {}, "Whether the daemon serves agents of protocol fleet"],
    ["its daemon serves none of Fleet", { serves: [] }, "The daemon serves no agents of protocol fleet"],
  ])("notes where %s", async (_, status, note) => {
    expect((await planOf({ status })).notes.join("\n")).toContain(note);
  });

  it("ends where the hub cannot be reached any more while it is listed", async () => {
    const away = () => Promise.reject(new AppError("E_KUBE_UNREACHABLE", "away"));
    await expect(planOf({ hubApi: { ...session.api, list: away, get: away } })).rejects.toThrow("away");
  });
});
