import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { probed } from "./containers.ts";
import { phaseOf } from "./node-session.ts";
import type { NodeSession } from "./node-session.ts";

/** What happens when a container ends, or is not well. */
export function describeRestarts(node: NodeSession): void {
  const reasonsOf = async (namespace: string) =>
    (await node.api.list(resourceTypes.event, { namespace })).items.map((event) => event["reason"]);

  describe("a container that ends", () => {
    it("runs again, after longer and longer waits", async () => {
      const namespace = await node.newNamespace();
      await node.createPod(namespace, { args: ["exit=3"] });
      const pod = await node.untilStatus(namespace, {
        phase: "Running",
        containerStatuses: [{ restartCount: 2, state: { waiting: { reason: "CrashLoopBackOff" } } }],
      });
      const [status] = (
        pod["status"] as { containerStatuses: { lastState: object; state: { waiting: { message: string } } }[] }
      ).containerStatuses;
      expect(status?.lastState).toMatchObject({ terminated: { exitCode: 3, reason: "Error" } });
      expect(status?.state.waiting.message).toMatch(/^back-off 0\.4s restarting failed container=main pod=p_/u);
      expect(await reasonsOf(namespace)).toEqual(
        expect.arrayContaining(["Scheduled", "Created", "Started", "BackOff"]),
      );
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
      await node.untilStatus(namespace, { containerStatuses: [{ restartCount: 1 }] });
      await node.until(async () => (await reasonsOf(namespace)).includes("Unhealthy"));
      expect(await reasonsOf(namespace)).toEqual(expect.arrayContaining(["Killing", "Unhealthy"]));
    });

    it("is started again when its startup probe never succeeds, and counts as not started", async () => {
      const namespace = await node.newNamespace();
      const startupProbe = {
        exec: { command: [process.execPath, "-e", "process.exit(1)"] },
        periodSeconds: 1,
        failureThreshold: 1,
      };
      await node.createPod(namespace, { container: { startupProbe } });
      await node.untilStatus(namespace, { containerStatuses: [{ restartCount: 1, started: false, ready: false }] });
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
