import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { againOnConflict, applyAsFound } from "../../../src/install/apply-as-found.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";

const { signal } = new AbortController();
const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "fleet" } };

describe("applyAsFound", () => {
  it.each([
    ["only creates an object where none was found", undefined, { resourceVersion: "1" }],
    [
      "writes over the very object that was found",
      { ...object, metadata: { ...object.metadata, uid: "u" } },
      { uid: "u" },
    ],
  ])("A276 %s", async (_, live, precondition) => {
    const applied: unknown[] = [];
    const api = { apply: async (...call: unknown[]) => void applied.push(call) } as unknown as KubeApi;
    await applyAsFound(api, { live, object }, signal);
    const body = { ...object, metadata: { ...object.metadata, ...precondition } };
    expect(applied).toEqual([[body, { fieldManager: "rollcall-hub", signal }]]);
  });
});

describe("againOnConflict", () => {
  const conflict = new AppError("E_KUBE_CONFLICT", "another came first");
  const refused = new AppError("E_KUBE_CONFLICT", "it is of another program", { recovery: "stalled" });
  const forbidden = new AppError("E_KUBE_FORBIDDEN", "no right");
  it.each([
    ["does it once where none came between", [], 1, undefined],
    ["does it again where another writer came between", [conflict], 2, undefined],
    ["gives up after the second time", [conflict, conflict], 2, conflict],
    ["does nothing again that is refused for good", [refused], 1, refused],
    ["does nothing again that fails for another reason", [forbidden], 1, forbidden],
  ])("%s", async (_, failures, times, thrown) => {
    let count = 0;
    const work = async (): Promise<void> => {
      const failure = failures[count];
      count += 1;
      if (failure !== undefined) throw failure;
    };
    const done = againOnConflict(work);
    if (thrown === undefined) await done;
    else await expect(done).rejects.toBe(thrown);
    expect(count).toBe(times);
  });
});
