import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { applyStatus } from "../../../src/reconcile/apply-status.ts";
import { repository } from "./phase-builders.ts";

const conflict = new AppError("E_KUBE_CONFLICT", "apply");
const newer = (changes: Partial<Repository> = {}): Repository => ({
  ...repository,
  metadata: { ...repository.metadata, resourceVersion: "2" },
  ...changes,
});

interface Given {
  readonly errors?: readonly Error[];
  readonly live?: Repository | undefined;
  readonly isStrict?: boolean;
}

/** The version that each write had as precondition, and what came of it. */
async function apply({ errors = [], live = newer(), isStrict = false }: Given = {}) {
  const versions: unknown[] = [];
  const write = (object: { metadata: { resourceVersion?: string } }) => {
    versions.push(object.metadata.resourceVersion);
    const error = errors[versions.length - 1];
    return error === undefined ? Promise.resolve(object) : Promise.reject(error);
  };
  const ports = {
    hubApi: { apply: write, get: () => Promise.resolve(live) },
    recordRepository: (one: Repository) => one,
  };
  const status = { phase: "Ready" } as never;
  const { signal } = new AbortController();
  const done = applyStatus(ports as never, { repository, status, signal, isStrict });
  const code = await done.then(
    () => "written",
    (error: unknown) => (error as AppError).code,
  );
  return { versions, code };
}

describe("applyStatus", () => {
  it("writes with the version that the status was computed from", async () => {
    expect(await apply()).toEqual({ versions: ["1"], code: "written" });
  });

  it("writes nothing when the status is the same", async () => {
    const ports = { hubApi: {}, recordRepository: () => repository };
    const write = { repository, status: {}, signal: new AbortController().signal };
    expect(await applyStatus(ports as never, write)).toBe(repository);
  });

  it.each<{ reason: string; given: Given; versions: string[]; code: string }>([
    {
      reason: "another writer changed something else",
      given: { errors: [conflict] },
      versions: ["1", "2"],
      code: "written",
    },
    { reason: "it is strict", given: { errors: [conflict], isStrict: true }, versions: ["1"], code: "E_KUBE_CONFLICT" },
    {
      reason: "the records of removals have changed",
      given: { errors: [conflict], live: newer({ status: { appliedCommit: "abc" } }) },
      versions: ["1"],
      code: "E_KUBE_CONFLICT",
    },
    {
      reason: "it is another Repository of the same name",
      given: { errors: [conflict], live: newer({ metadata: { ...repository.metadata, uid: "r2" } }) },
      versions: ["1"],
      code: "E_KUBE_CONFLICT",
    },
    {
      reason: "the write is forbidden",
      given: { errors: [new AppError("E_KUBE_FORBIDDEN", "apply")] },
      versions: ["1"],
      code: "E_KUBE_FORBIDDEN",
    },
    {
      reason: "others are faster five times",
      given: { errors: Array.from({ length: 9 }, () => conflict) },
      versions: ["1", "2", "2", "2", "2"],
      code: "E_KUBE_CONFLICT",
    },
  ])("tries with versions $versions when $reason: $code", async ({ given, versions, code }) => {
    expect(await apply(given)).toEqual({ versions, code });
  });
});
