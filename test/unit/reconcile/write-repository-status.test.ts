import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository, RepositoryStatus } from "../../../src/model/generated/repository.ts";
import type { RunScope } from "../../../src/reconcile/run-scope.ts";
import { writeRepositoryStatus } from "../../../src/reconcile/write-repository-status.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { snapshotOf } from "./hub-changes.ts";
import { planOfNothing, repository, scopeOf } from "./phase-builders.ts";
import { createMemoryHub } from "./removals/memory-hub.ts";

/** The status that a run writes, and the Repository that the scope has then. */
async function write(fields: Partial<RunScope> = {}, read: Repository | undefined = repository, ports: object = {}) {
  const hub = createMemoryHub();
  const written: RepositoryStatus[] = [];
  const scope = scopeOf(fields);
  await writeRepositoryStatus(scope, {
    ...{ hubApi: hub.api, view: hub.openView(), clock: createManualClock(), readRepository: () => read },
    hubApi: {
      ...hub.api,
      apply: (object) => {
        written.push(object["status"] as RepositoryStatus);
        return Promise.resolve({ ...object, spec: {} });
      },
    },
    recordRepository: (object) => object,
    ...ports,
  });
  return { status: written[0] ?? {}, count: written.length, scope };
}

const conditionOf = (status: RepositoryStatus, type: string) => status.conditions?.find((each) => each.type === type);
const commit = {
  id: "c".repeat(40),
  author: { name: "Jane", email: "jane@example.org" },
  committedAtMs: 0,
  parents: [],
};
const snapshot = { ...snapshotOf(), files: new Map([["a.yaml", {}]]), commit } as unknown as RunScope["snapshot"];

const plan = { ...planOfNothing, commit: commit.id };

const verifying = { ...repository, spec: { ...repository.spec, verify: { keysSecretRef: { name: "signers" } } } };

describe("writeRepositoryStatus", () => {
  it("writes what the run read, and hands on the Repository as it is then", async () => {
    const readFrom = { url: "memory", branch: "main" };
    const { status, scope } = await write({ snapshot, readFrom, plan });
    expect(status).toMatchObject({
      ...{ observedCommit: commit.id, appliedCommit: commit.id, settledFrom: readFrom, counts: { files: 1 } },
      recentCommits: [{ commit: commit.id, author: "Jane" }],
    });
    expect(scope.written.status).toEqual(status);
  });

  it("counts no files where nothing was read, and takes nothing for applied", async () => {
    const { status } = await write();
    expect(status.counts?.files).toBe(0);
    expect(status).not.toHaveProperty("appliedCommit");
    expect(status).not.toHaveProperty("recentCommits");
  });

  it.each<[string, Partial<RunScope>, string]>([
    ["reading failed", { sourceError: new AppError("E_GIT_REMOTE", "fetch main") }, "fetch main"],
    ["the head is not verified", { unverified: new AppError("E_UNVERIFIED", "apply commit c") }, "apply commit c"],
    ["changes of the hub were not written", { followError: new AppError("E_GIT_REMOTE", "push main") }, "push main"],
    ["proposing failed", { proposeError: new AppError("E_GIT_REMOTE", "push join") }, "push join"],
    ["writing back failed", { writeBackError: new AppError("E_GIT_PUSH_DENIED", "push status") }, "push status"],
  ])("has the reason in a condition where %s", async (_what, fields, message) => {
    const { status } = await write({ snapshot, plan, ...fields }, verifying);
    expect(JSON.stringify(status.conditions)).toContain(message);
  });

  it("names the verified commit and the status commit", async () => {
    const { status } = await write({ snapshot, plan, verifiedCommit: "v", statusCommit: "s" }, verifying);
    expect(status).toMatchObject({ verifiedCommit: "v", statusCommit: "s" });
    expect((await write({ snapshot, plan }, verifying)).status).not.toHaveProperty("verifiedCommit");
  });

  it("states that the request to reconcile was handled which was there when the run began to read", async () => {
    const annotations = { "rollcall.dev/requested-at": "2026-01-01T00:00:00Z" };
    const requested = { ...repository, metadata: { ...repository.metadata, annotations } };
    const handled = async (...given: Parameters<typeof write>) => (await write(...given)).status.lastHandledRequest;
    expect(await handled({ reason: "read", repository: requested }, requested)).toBe("2026-01-01T00:00:00Z");
    expect(await handled({ reason: "report", repository: requested }, requested)).toBeUndefined();
    expect(await handled({ reason: "read", repository }, requested)).toBeUndefined();
    expect(await handled({}, undefined)).toBeUndefined();
  });

  it("writes nothing again while nothing has changed", async () => {
    const { status } = await write({ snapshot });
    const managed = {
      manager: "rollcall-hub",
      operation: "Apply" as const,
      subresource: "status",
      fieldsV1: fieldsOf({ status }),
    };
    const known = { ...repository, metadata: { ...repository.metadata, managedFields: [managed] }, status };
    const again = await write({ snapshot }, known);
    expect([again.count, again.scope.written]).toEqual([0, known]);
    expect(conditionOf(status, "Ready")).toBeDefined();
  });
});

function fieldsOf(value: unknown): Record<string, never> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [`f:${key}`, fieldsOf(item)])) as never;
}
