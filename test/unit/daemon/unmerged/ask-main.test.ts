import { MessageChannel, Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { MainThread } from "../../../../src/daemon/unmerged/ask-main.ts";
import { observedThere, openMainThread, repositoryThere } from "../../../../src/daemon/unmerged/ask-main.ts";
import type { PlanCall, PlanOrder } from "../../../../src/daemon/unmerged/plan-calls.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { until } from "../../../support/until.ts";

/** A thread that answers calls that block with their arguments, lists three items in pieces of two, and fails for `fail`. */
const answering = `
const { workerData } = require("node:worker_threads");
const { calls, answers, signal } = workerData;
calls.on("message", ({ id, name, args }) => {
  if (id !== 0) return;
  if (name === "fail") answers.postMessage({ id, error: { message: "no", code: "E_GIT_OBJECT" } });
  else if (name === "list") answers.postMessage({ id, value: ["a", "b", "c"].slice(args[0], args[0] + 2) });
  else if (name !== "silent") answers.postMessage({ id, value: [name, ...args] });
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});`;

describe("a thread that asks the main thread", () => {
  /** With answers that the test gives itself. */
  function openByHand() {
    const { port1: port, port2: other } = new MessageChannel();
    onTestFinished(() => port.close());
    const calls: PlanCall[] = [];
    other.on("message", (call: PlanCall) => calls.push(call));
    const main = openMainThread(port, {} as PlanOrder);
    return { main, calls, answer: (message: unknown) => other.postMessage(message) };
  }

  it("gets each answer for its own call, in any order, and ignores one of no call", async () => {
    const { main, calls, answer } = openByHand();
    const [first, second, third] = [main.ask("one", 1), main.ask("two", 2, 3), main.ask("three")];
    await until(
      async () => calls.length,
      (count) => count === 3,
    );
    answer({ id: 99, value: "of no call" });
    answer({ id: 98, error: { message: "of no call" } });
    answer({ id: 2, value: "for two" });
    answer({ id: 3, error: { message: "no", code: "E_GIT_OBJECT" } });
    answer({ id: 1, value: "for one" });
    await expect(third).rejects.toMatchObject({ code: "E_GIT_OBJECT", message: "no" });
    expect([await first, await second]).toEqual(["for one", "for two"]);
    expect(calls).toEqual([
      { id: 1, name: "one", args: [1] },
      { id: 2, name: "two", args: [2, 3] },
      { id: 3, name: "three", args: [] },
    ]);
  });

  it("can wait for an answer without a turn of its own, and read a list piece by piece", async () => {
    const { port1: port, port2: calls } = new MessageChannel();
    const { port1: answers, port2: sender } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(answering, {
      eval: true,
      workerData: { calls, answers: sender, signal },
      transferList: [calls, sender],
    });
    onTestFinished(async () => {
      port.close();
      answers.close();
      await worker.terminate();
    });
    const main = openMainThread(port, { answers, signal } as unknown as PlanOrder);
    expect(main.askNow("echo", 1, "x")).toEqual(["echo", 1, "x"]);
    expect(main.listNow("list")).toEqual(["a", "b", "c"]);
    expect(() => main.askNow("fail")).toThrow(expect.objectContaining({ code: "E_GIT_OBJECT" }));
    expect(() => main.askNow("silent")).toThrow("the answer to silent cannot be read");
  });
});

/** A main thread that answers from these lists; what it was asked for. */
function mainWith(lists: Readonly<Record<string, readonly KubeObject[]>>) {
  const asked: unknown[] = [];
  const main = {
    ask: async (...call: unknown[]) => call,
    askNow: (name: string, namespace: string) => {
      asked.push(`${name} ${namespace}`);
      return namespace === "fleet";
    },
    listNow: (_: string, { plural }: { plural: string }) => {
      asked.push(`list ${plural}`);
      return lists[plural] ?? [];
    },
  } as unknown as MainThread;
  return { main, asked };
}

describe("the hub, as a thread sees it", () => {
  const object = (name: string): KubeObject => ({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Cluster",
    metadata: { name, namespace: "fleet" },
  });

  it("asks for each kind once, and finds objects in what it got", () => {
    const { main, asked } = mainWith({ clusters: [object("a"), object("b")] });
    const hub = observedThere(main, true);
    const type = resourceTypes.cluster;
    expect(hub.list(type)).toEqual([object("a"), object("b")]);
    expect(hub.get({ type, namespace: "fleet", name: "b" })).toEqual(object("b"));
    expect(hub.get({ type, namespace: "other", name: "b" })).toBeUndefined();
    expect(hub.list(resourceTypes.clusterGroup)).toEqual([]);
    expect(asked).toEqual(["list clusters", "list clustergroups"]);
    expect(hub.isComplete).toBe(true);
    expect(observedThere(main, false).isComplete).toBe(false);
  });

  it("asks for each namespace once, also one that is no workspace", () => {
    const { main, asked } = mainWith({});
    const hub = observedThere(main, true);
    expect(["fleet", "x", "fleet", "x"].map((name) => hub.isWorkspace(name))).toEqual([true, false, true, false]);
    expect(asked).toEqual(["isWorkspace fleet", "isWorkspace x"]);
  });
});

describe("the repository, as a thread sees it", () => {
  const git = repositoryThere(mainWith({}).main);

  it("asks the main thread to read", async () => {
    expect(await git.readCommit("1")).toEqual(["readCommit", "1"]);
    expect(await git.readSignature("1")).toEqual(["readSignature", "1"]);
    expect(await git.isAncestor("1", "2")).toEqual(["isAncestor", "1", "2"]);
    expect(await git.listCommits({ to: "1", limit: 2 })).toEqual(["listCommits", { to: "1", limit: 2 }]);
    expect(await git.listFiles("1", ["a"])).toEqual(["listFiles", "1", ["a"]]);
    expect(await git.changedPaths("1", "2", ["a"])).toEqual(["changedPaths", "1", "2", ["a"]]);
    expect(await git.readBlob("1", { maximumBytes: 5 })).toEqual(["readBlob", "1", { maximumBytes: 5 }]);
    await expect(git.close()).resolves.toBeUndefined();
  });

  it.each(["fetchHead", "listBranches", "commitAndPush", "moveBranch", "deleteBranch"] as const)(
    "neither fetches nor pushes: %s",
    async (name) => {
      const engine = git as unknown as Record<string, () => Promise<unknown>>;
      await expect(engine[name]?.()).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
    },
  );
});
