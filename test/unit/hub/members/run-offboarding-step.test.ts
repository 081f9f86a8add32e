import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { deleteObjects, runStep, waitForStep } from "../../../../src/hub/members/run-offboarding-step.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { refOf } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { coreObject } from "../objects.ts";
import { openMemberWorld } from "./member-world.ts";

const secret = coreObject("Secret", "s", {}, { data: { kubeconfig: Buffer.from("text").toString("base64") } });
const ref = refOf(resourceTypes.secret, secret);

async function open(objects: readonly KubeObject[] = [secret], spec = {}) {
  const world = await openMemberWorld();
  for (const object of objects) await world.put(object, "rollcall-hub");
  await world.addCluster("eu-1", { spec, state: {} });
  const { member, write } = world.scopeOf("eu-1");
  return { ...world, ports: { ...world.ports, write }, member };
}

describe("runStep", () => {
  it("deletes with the version that it saw, and skips what is not there", async () => {
    const { ports, asked, view } = await open().then((world) => ({ ...world, view: world.ports.view }));
    await deleteObjects(ports, [{ ...ref, name: "other" }, ref]);
    expect(asked()).toEqual(["delete Secret/s"]);
    expect(view.get(ref)).toBeUndefined();
  });

  it.each([true, false])(
    "writes what it asks the agent for, and is done when the agent has answered: %s",
    async (isDone) => {
      const { ports, asked, member, signal } = await open();
      const write = {
        ref: { type: resourceTypes.cluster, namespace: "fleet", name: "eu-1" },
        status: { phase: "Left" },
      };
      expect(await runStep(ports, { kind: "ask-agent", write, isDone }, { member, signal })).toBe(isDone);
      expect(asked()).toEqual(["status Cluster/eu-1"]);
    },
  );

  it.each([
    { reason: "with finalizers", finalizers: ["x/y"], asked: ["patch Secret/s"] },
    { reason: "without finalizers", finalizers: [], asked: [] },
  ])("releases an object $reason", async ({ finalizers, asked }) => {
    const world = await open([coreObject("Secret", "s", { finalizers })]);
    const { member, signal } = world;
    expect(await runStep(world.ports, { kind: "release", refs: [ref] }, { member, signal })).toBe(true);
    expect(world.asked()).toEqual(asked);
  });

  it.each([
    { code: "E_KUBE_NOT_FOUND", isThrown: false },
    { code: "E_KUBE_FORBIDDEN", isThrown: true },
  ] as const)("throws $code of a release: $isThrown", async ({ code, isThrown }) => {
    const { ports, member, signal } = await open([coreObject("Secret", "s", { finalizers: ["x/y"] })]);
    const write = { ...ports.write, patch: () => Promise.reject(new AppError(code, "patch")) };
    const done = runStep({ ...ports, write }, { kind: "release", refs: [ref] }, { member, signal });
    await (isThrown ? expect(done).rejects.toMatchObject({ code }) : expect(done).resolves.toBe(true));
  });

  const kubeConfigSecretRef = { name: "s", key: "kubeconfig" };

  it.each([
    { reason: "no kubeconfig", spec: {}, error: undefined, expected: false, closed: 0 },
    { reason: "a cluster that is reached", spec: { kubeConfigSecretRef }, error: undefined, expected: true, closed: 1 },
    {
      reason: "a cluster that is not reached",
      spec: { kubeConfigSecretRef },
      error: new AppError("E_KUBE_UNREACHABLE", "get"),
      expected: false,
      closed: 1,
    },
    { reason: "a defect", spec: { kubeConfigSecretRef }, error: new TypeError("x"), expected: "thrown", closed: 1 },
  ])("uninstalls by $reason: $expected", async ({ spec, error, expected, closed }) => {
    const { ports, member, signal, hub } = await open([secret], spec);
    let closings = 0;
    const get = () => (error === undefined ? Promise.resolve(undefined) : Promise.reject(error));
    const close = () => Promise.resolve(void closings++);
    const connectDownstream = () => ({ ...hub.api, get, close });
    const run = runStep({ ...ports, connectDownstream }, { kind: "uninstall", refs: [ref] }, { member, signal });
    expect(await run.catch(() => "thrown")).toBe(expected);
    expect(closings).toBe(closed);
  });
});

describe("waitForStep", () => {
  const object = coreObject("ConfigMap", "c", {}, { data: { told: "yes" } });
  const live = coreObject("ConfigMap", "c", {}, { data: { told: "no" } });

  it.each([
    { step: "wait", nowMs: 4, isDone: false, waitMs: 6, asked: [] },
    { step: "wait", nowMs: 11, isDone: false, waitMs: 0, asked: [] },
    { step: "tell-agent", nowMs: 4, isDone: false, waitMs: 6, asked: ["apply ConfigMap/c"] },
    { step: "tell-agent", nowMs: 4, isDone: true, waitMs: 0, asked: ["apply ConfigMap/c"] },
    { step: "tell-agent", nowMs: 10, isDone: false, waitMs: 0, asked: [] },
  ] as const)("$step at $nowMs of 10, done $isDone: $waitMs ms", async ({ step, nowMs, isDone, waitMs, asked }) => {
    const world = await open([live]);
    const untilMs = 10;
    const given = step === "wait" ? { kind: step, untilMs } : { kind: step, objects: [object], isDone, untilMs };
    expect(await waitForStep(world.ports, given, nowMs)).toBe(waitMs);
    expect(world.asked()).toEqual(asked);
  });

  it.each([
    { reason: "has it already", live: [object] },
    { reason: "is not there any more", live: [] },
  ])("writes nothing to an object that $reason", async ({ live: objects }) => {
    const world = await open(objects);
    await waitForStep(world.ports, { kind: "tell-agent", objects: [object], isDone: false, untilMs: 10 }, 0);
    expect(world.asked()).toEqual([]);
  });
});
