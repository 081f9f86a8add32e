import { describe, expect, it, onTestFinished } from "vitest";
import { createKubeApi } from "../../../../src/kube/kube-api.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import { createUndiciTransport } from "../../../../src/kube/undici-transport.ts";
import { callDownstream, mostDownstreamMs } from "../../../../src/hub/members/call-downstream.ts";
import { installAgent } from "../../../../src/hub/members/phases/install-agent.ts";
import { runStep } from "../../../../src/hub/members/run-offboarding-step.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../../src/model/well-known.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realClock, realRandom } from "../../../support/real-time.ts";
import { startScriptedServer } from "../../kube/scripted-server.ts";
import { openMemberWorld, workspace } from "./member-world.ts";

const secret = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { namespace: workspace, name: "kubeconfig" },
  data: { value: Buffer.from("text").toString("base64") },
};
const spec = { kubeConfigSecretRef: { name: "kubeconfig" } };
const ref = { type: resourceTypes.deployment, namespace: "a", name: "b" };
const timeoutMs = 24 * 3_600_000;

/** A member whose API server takes requests and answers none, at a clock that stands still. */
async function openSlowMember() {
  const server = await startScriptedServer(() => undefined);
  onTestFinished(() => server.stop());
  const connectDownstream = (): KubeApi => {
    const transport = createUndiciTransport(server.connection());
    return createKubeApi({ transport, clock: realClock, random: realRandom, timeoutMs });
  };
  const world = await openMemberWorld();
  await world.put(secret, "somebody");
  await world.addCluster("eu-1", { spec });
  const clock = createManualClock();
  return { server, world, clock, ports: { ...world.ports, clock, connectDownstream } };
}

describe("callDownstream", () => {
  it.each([annotationKeys.revoked, annotationKeys.leave])(
    "A114 ends an installation that a member draws out, once its Cluster has %s",
    async (key) => {
      const { server, world, clock, ports } = await openSlowMember();
      const scope = world.scopeOf("eu-1", "rollcall", {
        pendingBootstrap: () => ({ number: 7, values: {} }),
        agentManifest: () => [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "rollcall-agent" } }],
      });
      const installing = installAgent(scope, ports);
      await server.whenReceived(1);
      await clock.advance(5000);
      await world.addCluster("eu-1", { spec, annotations: { [key]: "x" } });
      await clock.advance(1000);
      expect(clock.sleepers).toBe(0);
      await installing;
      expect(scope.install).toMatchObject({ kind: "pending", reason: "DownstreamUnreachable" });
    },
  );

  it("A114 ends the removal of an agent after two minutes, however slowly each call is answered", async () => {
    const { server, world, clock, ports } = await openSlowMember();
    const { member, signal, write } = world.scopeOf("eu-1");
    const step = { kind: "uninstall", refs: [ref] } as const;
    const removing = runStep({ ...ports, write }, step, { member, signal });
    await server.whenReceived(1);
    await clock.advance(mostDownstreamMs - 1);
    expect(clock.sleepers).toBe(1);
    await clock.advance(1);
    expect(clock.sleepers).toBe(0);
    expect(await removing).toBe(false);
  });

  it("gives the outcome of the calls, or what they throw, and ends with the pass", async () => {
    const { ports, clock } = await openSlowMember();
    const of = { workspace, name: "eu-1", signal: AbortSignal.abort(new Error("stopped")) };
    expect(await callDownstream(ports, of, () => Promise.resolve(7))).toBe(7);
    await expect(callDownstream(ports, of, () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    const aborted = (signal: AbortSignal): Promise<never> => Promise.reject(signal.reason as Error);
    await expect(callDownstream(ports, of, aborted)).rejects.toThrow("stopped");
    expect(clock.sleepers).toBe(0);
  });
});
