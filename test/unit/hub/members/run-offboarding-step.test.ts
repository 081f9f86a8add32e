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
    const world = await open();
    const { view } = world.ports;
    const { uid, resourceVersion } = view.get(ref)?.metadata ?? {};
    await deleteObjects(world.ports, [{ ...ref, name: "other" }, ref]);
    expect(world.requests).toEqual([{ verb: "delete", name: "Secret/s", object: { uid, resourceVersion } }]);
    expect(uid).toBeDefined();
    expect(view.get(ref)).toBeUndefined();
  });

  it("takes the finalizers of an agent from what it deletes, and deletes the version that this made", async () => {
    const report = {
      ...coreObject("ClusterReport", "eu-1", { finalizers: ["x/y"] }),
      apiVersion: "rollcall.dev/v1alpha1",
    };
    const world = await open([report]);
    const reportRef = { type: resourceTypes.clusterReport, namespace: "fleet", name: "eu-1" };
    const before = world.ports.view.get(reportRef)?.metadata;
    await deleteObjects(world.ports, [reportRef]);
    expect(world.asked()).toEqual(["patch ClusterReport/eu-1", "delete ClusterReport/eu-1"]);
    const { uid, resourceVersion } = world.requests[1]?.object as { uid?: string; resourceVersion?: string };
    expect(uid).toBe(before?.uid);
    expect(resourceVersion).not.toBe(before?.resourceVersion);
    expect(resourceVersion).toBeDefined();
  });

  it("does every one of its deletions, and fails at the first that is refused", async () => {
    const world = await open([secret, coreObject("Secret", "t")]);
    const other = { ...ref, name: "t" };
    const { member, signal, view } = { ...world, view: world.ports.view };
    expect(
      await runStep(world.ports, { kind: "delete", purpose: "revoke", refs: [ref, other] }, { member, signal }),
    ).toBe(true);
    expect([view.get(ref), view.get(other)]).toEqual([undefined, undefined]);
    const refused = new AppError("E_KUBE_CONFLICT", "delete");
    const again = await open([secret, coreObject("Secret", "t")]);
    const write = { ...again.ports.write, delete: () => Promise.reject(refused) };
    const step = { kind: "delete", purpose: "revoke", refs: [ref, other] } as const;
    await expect(runStep({ ...again.ports, write }, step, { member, signal })).rejects.toBe(refused);
  });

  it("releases the very object that it saw, and every one of them", async () => {
    const world = await open([
      coreObject("Secret", "s", { finalizers: ["x/y"] }),
      coreObject("Secret", "t", { finalizers: ["x/y"] }),
    ]);
    const { member, signal } = world;
    const uid = world.ports.view.get(ref)?.metadata.uid;
    await runStep(
      world.ports,
      { kind: "release", refs: [ref, { ...ref, name: "t" }, { ...ref, name: "lost" }] },
      { member, signal },
    );
    expect(world.asked()).toEqual(["patch Secret/s", "patch Secret/t"]);
    expect(world.requests[0]).toMatchObject({ object: { metadata: { uid, finalizers: null } } });
    expect(uid).toBeDefined();
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
    { error: new AppError("E_KUBE_SERVER", "etcdserver: request is too large"), isDone: false, expected: false },
    { error: new AppError("E_KUBE_SERVER", "etcdserver: request is too large"), isDone: true, expected: true },
    { error: new AppError("E_KUBE_INVALID", "spec: Invalid value"), isDone: false, expected: false },
    { error: new AppError("E_KUBE_FORBIDDEN", "x"), isDone: true, expected: "thrown" },
    { error: new TypeError("x"), isDone: true, expected: "thrown" },
  ])("A100 asks an agent as one that does not answer where the write is refused: $expected", async (row) => {
    const { ports, member, signal } = await open();
    const write = { ...ports.write, applyStatus: () => Promise.reject(row.error) };
    const asking = { ref: { type: resourceTypes.clusterReport, namespace: "fleet", name: "eu-1" }, status: {} };
    const step = { kind: "ask-agent", write: asking, isDone: row.isDone } as const;
    expect(await runStep({ ...ports, write }, step, { member, signal }).catch(() => "thrown")).toBe(row.expected);
    const stopped = AbortSignal.abort(new Error("stopped"));
    await expect(runStep({ ...ports, write }, step, { member, signal: stopped })).rejects.toThrow("stopped");
  });

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

describe("an uninstallation by kubeconfig", () => {
  const spec = { kubeConfigSecretRef: { name: "s", key: "kubeconfig" } };
  const agent = {
    ...coreObject("ConfigMap", "agent"),
    metadata: { name: "agent", namespace: "fleet", labels: { "app.kubernetes.io/managed-by": "rollcall" } },
  };
  const step = {
    kind: "uninstall",
    refs: [{ type: resourceTypes.configMap, namespace: "fleet", name: "agent" }],
  } as const;

  it("connects by the text of the Secret, and deletes what the step names", async () => {
    const world = await open([secret], spec);
    const texts: string[] = [];
    const deleted: string[] = [];
    const connectDownstream = (text: string) => {
      texts.push(text);
      return {
        ...world.hub.api,
        get: () => Promise.resolve(agent),
        delete: ({ name }: { name: string }) => Promise.resolve(void deleted.push(name)),
      };
    };
    const { member, signal } = world;
    expect(await runStep({ ...world.ports, connectDownstream }, step, { member, signal })).toBe(true);
    expect([texts, deleted]).toEqual([["text"], ["agent"]]);
  });

  it("is tried again where the kubeconfig is refused, and the log has the reason", async () => {
    const world = await open([secret], spec);
    const logged: unknown[] = [];
    const error = new AppError("E_KUBECONFIG", "read");
    const ports = {
      ...world.ports,
      log: { ...world.ports.log, warn: (_text: string, fields: unknown) => void logged.push(fields) },
      connectDownstream: () => {
        throw error;
      },
    };
    const { member, signal } = world;
    expect(await runStep(ports, step, { member, signal })).toBe(false);
    expect(logged).toEqual([{ cluster: "fleet/eu-1", error }]);
  });

  it("fails by a defect of the program, and by the end of the daemon", async () => {
    const world = await open([secret], spec);
    const failing = (error: Error) => ({
      ...world.ports,
      connectDownstream: () => {
        throw error;
      },
    });
    const { member, signal } = world;
    await expect(runStep(failing(new AppError("E_BUG", "x")), step, { member, signal })).rejects.toThrow("x");
    const stopped = AbortSignal.abort(new Error("stopped"));
    const unreachable = failing(new AppError("E_KUBE_UNREACHABLE", "y"));
    await expect(runStep(unreachable, step, { member, signal: stopped })).rejects.toThrow("stopped");
  });
});

describe("waitForStep", () => {
  const object = coreObject("ConfigMap", "c", {}, { data: { told: "yes" } });
  const live = coreObject("ConfigMap", "c", {}, { data: { told: "no" } });

  it.each([
    { step: "wait", nowMs: 4, isDone: false, waitMs: 6, asked: [] },
    { step: "wait", nowMs: 11, isDone: false, waitMs: 0, asked: [] },
    { step: "notify-agent", nowMs: 4, isDone: false, waitMs: 6, asked: ["apply ConfigMap/c"] },
    { step: "notify-agent", nowMs: 4, isDone: true, waitMs: 0, asked: ["apply ConfigMap/c"] },
    { step: "notify-agent", nowMs: 10, isDone: false, waitMs: 0, asked: [] },
  ] as const)("$step at $nowMs of 10, done $isDone: $waitMs ms", async ({ step, nowMs, isDone, waitMs, asked }) => {
    const world = await open([live]);
    const untilMs = 10;
    const given = step === "wait" ? { kind: step, untilMs } : { kind: step, objects: [object], isDone, untilMs };
    expect(await waitForStep(world.ports, given, { ...world, nowMs })).toBe(waitMs);
    expect(world.asked()).toEqual(asked);
  });

  it.each([
    { reason: "has it already", live: [object] },
    { reason: "is not there any more", live: [] },
  ])("writes nothing to an object that $reason", async ({ live: objects }) => {
    const world = await open(objects);
    const step = { kind: "notify-agent", objects: [object], isDone: false, untilMs: 10 } as const;
    await waitForStep(world.ports, step, { ...world, nowMs: 0 });
    expect(world.asked()).toEqual([]);
  });

  it.each(["E_KUBE_SERVER", "E_KUBE_INVALID"] as const)(
    "A100 waits for an agent that leaves no room for what it is asked (%s), and no longer than for another",
    async (code) => {
      const world = await open([live]);
      const apply = () => Promise.reject(new AppError(code, "etcdserver: request is too large"));
      const ports = { ...world.ports, write: { ...world.ports.write, apply } };
      const step = { kind: "notify-agent", objects: [object], isDone: false, untilMs: 10 } as const;
      expect(await waitForStep(ports, step, { ...world, nowMs: 4 })).toBe(6);
      expect(await waitForStep(ports, step, { ...world, nowMs: 10 })).toBe(0);
    },
  );
});
