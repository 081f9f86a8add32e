import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { ErrorCode } from "../../../src/core/error-codes.ts";
import { dryRunChanges } from "../../../src/daemon/dry-run-changes.ts";
import type { KubeApi, WriteOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import type { PlannedChange } from "../../../src/model/plan.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";

const { signal } = new AbortController();

function changeOf(kind: "create" | "update" | "delete", name: string): PlannedChange {
  const ref = { type: resourceTypes.cluster, namespace: "fleet", name };
  const object = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name, namespace: "fleet" } };
  const source = { file: `${name}.yaml`, line: 3, column: 1 };
  return { kind, ref, object, manager: "rollcall-git", fields: [], source } as unknown as PlannedChange;
}

/** A hub that refuses `bad` with a code. */
function open(code: ErrorCode) {
  const asked: unknown[] = [];
  const apply = async (object: KubeObject, { isDryRun }: WriteOptions) => {
    asked.push([object.metadata.name, isDryRun]);
    if (object.metadata.name === "bad") throw new AppError(code, "refused");
    return object;
  };
  const create = async (review: KubeObject) => ({ ...review, status: { allowed: false } });
  const changes = [changeOf("delete", "gone"), changeOf("update", "good"), changeOf("create", "bad")];
  return { asked, run: () => dryRunChanges(changes, { apply, create } as unknown as KubeApi, signal) };
}

describe("the dry run of a plan", () => {
  it.each(["E_KUBE_INVALID", "E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND"] as const)(
    "shows at its file what the hub refuses with %s",
    async (code) => {
      const { asked, run } = open(code);
      expect(await run()).toMatchObject({
        problems: [{ code, file: "bad.yaml", line: 3, message: "the hub refuses it: refused" }],
        notes: [],
        isEvaluated: true,
      });
      expect(asked).toEqual([
        ["good", true],
        ["bad", true],
      ]);
    },
  );

  it("is a note where the account may not write", async () => {
    const result = await open("E_KUBE_FORBIDDEN").run();
    expect(result).toMatchObject({ problems: [], isEvaluated: false });
    expect(result.notes).toHaveLength(1);
  });

  it.each(["E_KUBE_UNREACHABLE", "E_KUBE_UNAUTHORIZED", "E_KUBE_SERVER"] as const)(
    "is no plan without problems where the hub cannot be asked: %s",
    async (code) => {
      await expect(open(code).run()).rejects.toMatchObject({ code });
    },
  );
});
