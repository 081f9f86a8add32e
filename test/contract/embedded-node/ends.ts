import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { buildScript } from "../../support/build-script.ts";
import { isRunning } from "../../support/is-running.ts";
import { soon } from "./node-session.ts";
import type { NodeSession } from "./node-session.ts";

/** How Pods and nodes end, and that nothing is left of them. */
export function describeEnds(node: NodeSession): void {
  const pidIn = async (mark: string) => {
    await expect.poll(() => readFile(mark, "utf8").catch(() => ""), soon).toMatch(/^\d+$/u);
    return Number(await readFile(mark, "utf8"));
  };
  const markedPod = (mark: string, more: object = {}) => ({
    container: { env: [{ name: "MARK", value: mark }], ...more },
  });
  /** The process of a Pod that ignores the signal to end. */
  const startStubborn = async (namespace: string, more: object = {}): Promise<number> => {
    const mark = join(node.dir, `${namespace}.pid`);
    await node.createPod(namespace, { args: ["stubborn"], ...markedPod(mark), ...more });
    return pidIn(mark);
  };

  describe("a Pod that is deleted", () => {
    it("receives a signal to end first, and is then deleted with its process and its folder", async () => {
      const namespace = await node.newNamespace();
      const mark = join(node.dir, `${namespace}.pid`);
      const { metadata } = await node.createPod(namespace, markedPod(mark));
      const pid = await pidIn(mark);
      await node.api.delete({ type: resourceTypes.pod, namespace, name: "p" });
      await node.until(async () => (await node.pod(namespace)) === undefined);
      expect(isRunning(pid)).toBe(false);
      const folder = join(node.dir, "pods", metadata.uid ?? "");
      await expect
        .poll(
          () =>
            readFile(join(folder, "logs", "main", "0.log")).then(
              () => "there",
              () => "gone",
            ),
          soon,
        )
        .toBe("gone");
    });

    it("is ended by force when it does not end in time", async () => {
      const namespace = await node.newNamespace();
      const pid = await startStubborn(namespace);
      const startMs = performance.now();
      await node.api.delete({ type: resourceTypes.pod, namespace, name: "p" });
      await node.until(async () => (await node.pod(namespace)) === undefined);
      expect(performance.now() - startMs).toBeGreaterThan(900);
      expect(isRunning(pid)).toBe(false);
    });

    it("again with a shorter grace is ended by that", async () => {
      const namespace = await node.newNamespace();
      const pid = await startStubborn(namespace, { spec: { terminationGracePeriodSeconds: 600 } });
      const ref = { type: resourceTypes.pod, namespace, name: "p" };
      await node.api.delete(ref);
      await expect.poll(() => node.log({ namespace }), soon).toContain("asked to end");
      await node.api.delete(ref, { gracePeriodSeconds: 1 });
      await expect.poll(() => isRunning(pid), soon).toBe(false);
      await node.until(async () => (await node.pod(namespace)) === undefined);
    });

    it("by force is ended without a grace", async () => {
      const namespace = await node.newNamespace();
      const pid = await startStubborn(namespace, { spec: { terminationGracePeriodSeconds: 600 } });
      await node.api.delete({ type: resourceTypes.pod, namespace, name: "p" }, { gracePeriodSeconds: 0 });
      await expect.poll(() => isRunning(pid), soon).toBe(false);
      expect(await node.pod(namespace)).toBeUndefined();
    });
  });

  describe("a node that is killed", () => {
    it("takes its containers with it, and runs each of them once when it comes back", async () => {
      const folder = await mkdtemp(join(tmpdir(), "rollcall-killed-node-"));
      const namespace = await node.newNamespace();
      const nodeName = `${node.nodeName}-killed`;
      const mark = join(folder, "pid");
      const kubeconfig = join(folder, "kubeconfig");
      await writeFile(kubeconfig, node.kubeconfig, { mode: 0o600 });
      const script = await buildScript(join(import.meta.dirname, "run-node.ts"), folder);
      const start = async () => {
        const child = spawn(process.execPath, [script, kubeconfig, nodeName, join(folder, "node"), node.worker], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        await once(child.stdout, "data");
        return child;
      };
      let child = await start();
      try {
        // Bound by name: the other node of this cluster must not take it.
        await node.createPod(namespace, { ...markedPod(mark), spec: { nodeName } });
        const first = await pidIn(mark);
        await node.untilStatus(namespace, { phase: "Running" });
        child.kill("SIGKILL");
        await once(child, "exit");
        await expect.poll(() => isRunning(first), soon).toBe(false);

        await rm(mark);
        child = await start();
        const second = await pidIn(mark);
        expect(isRunning(second)).toBe(true);
        await node.untilStatus(namespace, {
          phase: "Running",
          containerStatuses: [{ restartCount: 1, lastState: { terminated: { exitCode: 255, reason: "Unknown" } } }],
        });
        const records = JSON.parse(await readFile(join(folder, "node", "processes.json"), "utf8")) as {
          processes: object[];
        };
        expect(records.processes).toEqual([expect.objectContaining({ pid: second })]);
      } finally {
        child.kill("SIGKILL");
        await node.api.delete({ type: resourceTypes.pod, namespace, name: "p" }, { gracePeriodSeconds: 0 });
        await node.api.delete({ type: resourceTypes.node, name: nodeName });
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}
