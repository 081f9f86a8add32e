import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { probed } from "./containers.ts";
import { atLeast, phaseOf, soon } from "./node-session.ts";
import type { NodeSession } from "./node-session.ts";

/** What happens when a container ends, or is not well. */
export function describeRestarts(node: NodeSession): void {
  /** Events are written beside what they report, and may come later. */
  const untilReasons = async (namespace: string, ...reasons: readonly string[]): Promise<void> => {
    const look = async () =>
      (await node.api.list(resourceTypes.event, { namespace })).items.map((event) => event["reason"]);
    await expect.poll(look, soon).toEqual(expect.arrayContaining([...reasons]));
  };

  describe("a container that ends", () => {
    it("runs again, after longer and longer waits", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { args: ["exit=3"] });
      const pod = await node.untilStatus(namespace, {
        phase: "Running",
        containerStatuses: [{ restartCount: atLeast(2), state: { waiting: { reason: "CrashLoopBackOff" } } }],
      });
      const [status] = (
        pod["status"] as {
          containerStatuses: { restartCount: number; lastState: object; state: { waiting: { message: string } } }[];
        }
      ).containerStatuses;
      const waits = ["0.4s", "0.8s", "1s"];
      const wait = waits[Math.min(status?.restartCount ?? 0, 4) - 2] ?? "";
      expect(status?.lastState).toMatchObject({ terminated: { exitCode: 3, reason: "Error" } });
      const message = `back-off ${wait} restarting failed container=main pod=p_`;
      expect(status?.state.waiting.message).toContain(message);
      await untilReasons(namespace, "Scheduled", "Created", "Started", "BackOff");
    });

    it.each([
      { restartPolicy: "Never", exit: 0, phase: "Succeeded" },
      { restartPolicy: "Never", exit: 4, phase: "Failed" },
      { restartPolicy: "OnFailure", exit: 0, phase: "Succeeded" },
    ])("with $exit makes the Pod $phase under restartPolicy $restartPolicy", async ({ restartPolicy, exit, phase }) => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { args: [`exit=${exit}`], spec: { restartPolicy } });
      await node.untilStatus(namespace, {
        phase,
        containerStatuses: [{ restartCount: 0, ready: false, state: { terminated: { exitCode: exit } } }],
      });
    });

    it("counts as failed when it was started by a Pod that is over its deadline", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { spec: { activeDeadlineSeconds: 1 } });
      await node.untilStatus(namespace, { phase: "Failed", reason: "DeadlineExceeded" });
    });
  });

  describe("a container that is not well", () => {
    it("is started again when its liveness probe fails", async () => {
      const namespace = await node.newNamespace();
      const env = [{ name: "HEALTH_PORT", value: "8080" }];
      const container = { env, ...probed("livenessProbe", { initialDelaySeconds: 1 }) };
      await node.createPod(namespace, { args: ["sick"], container });
      await node.untilStatus(namespace, { containerStatuses: [{ restartCount: atLeast(1) }] });
      await untilReasons(namespace, "Killing", "Unhealthy");
    });

    it("is started again when its startup probe never succeeds, and counts as not started", async () => {
      const namespace = await node.newNamespace();
      const startupProbe = {
        exec: { command: [process.execPath, "-e", "process.exit(1)"] },
        periodSeconds: 1,
        failureThreshold: 1,
      };
      await node.createPod(namespace, { container: { startupProbe } });
      await node.untilStatus(namespace, {
        containerStatuses: [{ restartCount: atLeast(1), started: false, ready: false }],
      });
      expect(phaseOf(await node.pod(namespace))).toBe("Running");
    });

    it("is reached by tcp and by command as well", async () => {
      const namespace = await node.newNamespace();
      const { ports } = probed("readinessProbe");
      await node.createPod(namespace, {
        container: {
          env: [{ name: "HEALTH_PORT", value: "8080" }],
          ports,
          readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          startupProbe: { exec: { command: [process.execPath, "-e", "process.exit(0)"] }, periodSeconds: 1 },
        },
      });
      await node.untilStatus(namespace, { containerStatuses: [{ ready: true, started: true }] });
    });
  });
}
