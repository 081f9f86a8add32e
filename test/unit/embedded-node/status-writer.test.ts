import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { JsonObject } from "../../../src/core/json.ts";
import { silentLog } from "../../../src/core/log.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";
import { StatusWriter } from "../../../src/embedded-node/status-writer.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createManualClock, fixedRandom } from "../../support/manual-clock.ts";

type Answer = "written" | "E_KUBE_UNREACHABLE" | "E_KUBE_CONFLICT" | "E_KUBE_NOT_FOUND";

function writerAt(answers: readonly Answer[] = []) {
  const left = [...answers];
  const clock = createManualClock();
  const patches: JsonObject[] = [];
  const isStrategic = new Set<boolean>();
  const api = {
    mergePatch: async (_: unknown, patch: JsonObject, options: { readonly isStrategic?: boolean }) => {
      patches.push(patch);
      isStrategic.add(options.isStrategic === true);
      const answer = left.shift() ?? "written";
      if (answer !== "written") throw new AppError(answer, "no");
      return {};
    },
  } as unknown as KubeApi;
  const spec = readPodSpec({ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "ns", uid: "u" } });
  const writer = new StatusWriter({ api, spec, clock, random: fixedRandom(), log: silentLog });
  return { writer, clock, patches, isStrategic, statuses: () => patches.map(({ status }) => status) };
}

async function microtasks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await Promise.resolve();
}

it("removes the fields that a status no longer has, of the Pod with that uid alone", async () => {
  const { writer, patches } = writerAt();
  writer.write({ phase: "Failed", reason: "Evicted" });
  await writer.flush();
  writer.write({ phase: "Running" });
  await writer.flush();
  expect(patches).toEqual([
    { metadata: { uid: "u" }, status: { phase: "Failed", reason: "Evicted", conditions: [] } },
    { metadata: { uid: "u" }, status: { phase: "Running", reason: null, conditions: [] } },
  ]);
});

it("merges its conditions into those of others by their types, without what they no longer have", async () => {
  const { writer, patches, isStrategic } = writerAt();
  writer.write({ conditions: [{ type: "Ready", status: "False", reason: "No", message: "why" }] });
  await writer.flush();
  writer.write({ conditions: [{ type: "Ready", status: "True" }] });
  await writer.flush();
  expect(patches.at(-1)).toMatchObject({
    status: { conditions: [{ type: "Ready", status: "True", reason: null, message: null }] },
  });
  expect([...isStrategic]).toEqual([true]);
});

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  "writes a status that comes %i turns after the one before",
  async (turns) => {
    const { writer, statuses } = writerAt();
    writer.write({ phase: "Pending" });
    await microtasks(turns);
    writer.write({ phase: "Running" });
    await writer.flush();
    expect(statuses().at(-1)).toMatchObject({ phase: "Running" });
  },
);

it("writes what is written already no second time", async () => {
  const { writer, statuses } = writerAt();
  for (const phase of ["Running", "Running"]) {
    writer.write({ phase });
    await writer.flush();
  }
  expect(statuses()).toMatchObject([{ phase: "Running" }]);
});

it("writes the newest status once the API server answers again", async () => {
  const { writer, clock, statuses } = writerAt(["E_KUBE_UNREACHABLE"]);
  writer.write({ phase: "Pending" });
  await clock.advance(0);
  writer.write({ phase: "Running" });
  await clock.advance(60_000);
  expect(statuses()).toMatchObject([{ phase: "Pending" }, { phase: "Running" }]);
});

it.each(["E_KUBE_CONFLICT", "E_KUBE_NOT_FOUND"] as const)(
  "gives a status up for a Pod that has been deleted: %s",
  async (answer) => {
    const { writer, clock, statuses } = writerAt([answer]);
    writer.write({ phase: "Running" });
    await writer.flush();
    await clock.advance(60_000);
    expect(statuses()).toHaveLength(1);
  },
);

it("ends with the Pod, although the API server is away", async () => {
  const { writer, clock, statuses } = writerAt(["E_KUBE_UNREACHABLE"]);
  writer.write({ phase: "Running" });
  await clock.advance(0);
  await writer.stop();
  await clock.advance(60_000);
  expect(statuses()).toHaveLength(1);
});
