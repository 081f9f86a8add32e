import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { startKubeCache } from "../../../src/kube/kube-cache.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { realClock, realRandom } from "../../support/real-time.ts";
import { createShiftingClock } from "../../support/shifting-clock.ts";
import type { ShiftingClock } from "../../support/shifting-clock.ts";
import { openGate } from "../../support/tls-gate.ts";
import type { Gate } from "../../support/tls-gate.ts";
import { until } from "../../support/until.ts";
import { conditionOf, declare, kubeconfigSecret, untilLogged } from "./fleet-helpers.ts";
import type { FleetSession } from "./fleet-session.ts";
import { openFleetSession } from "./fleet-session.ts";

const { cluster, clusterRegistration, deployment, lease, secret } = resourceTypes;
const hourMs = 3600_000;

/** Nothing reaches the hub: neither its own controllers nor an agent. All live by one clock, on which an hour passes at once. */
describe("an hour's outage of the embedded hub", () => {
  let session: FleetSession;
  let clock: ShiftingClock;
  let gate: Gate;

  beforeAll(async () => {
    clock = createShiftingClock();
    const hub = await readyHub(clock);
    gate = await openGate(readKubeconfig(hub.kubeconfig).server);
    session = await openFleetSession(hub, { clock, controllersServer: gate.url });
  });
  afterAll(async () => {
    await session.close();
    await gate.stop();
  });

  it("causes no new registration, and no cluster changes its state before a whole window was watched", async () => {
    const namespace = session.agentNamespace();
    await declare(session, "eu-1", {
      clientID: "eu-1",
      kubeConfigSecretRef: await kubeconfigSecret(session, "eu-1"),
      agent: { namespace },
      // A window of a quarter of an hour: three times what an agent waits between two tries at most.
      heartbeat: { periodSeconds: 300 },
    });
    await session.untilIn(namespace, deployment, "rollcall-agent", (object) => object !== undefined);
    const agent = await session.startAgent(namespace, {
      clock,
      connectHub: (target, connect) => connect({ ...target, url: gate.url }),
    });
    await session.until(cluster, "eu-1", (object) => conditionOf(object, "Ready") === "True");
    await session.controllers.whenIdle();
    const registrations = async () =>
      (await session.api.list(clusterRegistration, { namespace: session.workspace })).items.map(
        ({ metadata }) => metadata.uid,
      );
    const identity = async () =>
      (await session.get(secret, "rollcall-agent-identity", namespace))?.metadata.resourceVersion;
    const heartbeat = async () => textAt(await session.get(lease, "rollcall-eu-1"), "spec", "renewTime");
    const before = { registrations: await registrations(), identity: await identity(), heartbeat: await heartbeat() };
    const said = new Set<string>();
    const watching = startKubeCache(
      session.api,
      cluster,
      {
        namespace: session.workspace,
        onChange: ({ object }) => {
          for (const condition of objectsAt(object, "status", "conditions"))
            said.add(["type", "status", "reason"].map((key) => textAt(condition, key)).join(" "));
        },
      },
      { clock: realClock, random: realRandom },
    );
    await watching.whenSynced();
    const saidBefore = [...said].sort();
    expect(saidBefore).toContain("Healthy True AgentReports");

    await gate.close();
    await until(
      () => Promise.resolve(session.hubAwaySinceMs()),
      (sinceMs) => sinceMs !== undefined,
    );
    // A period may be a tenth longer than declared.
    clock.pass(360_000);
    await untilLogged(agent.lines, ({ message }) => message === "a heartbeat failed");
    for (let minute = 0; minute < 60; minute++) clock.pass(hourMs / 60);
    await gate.open();
    await until(
      () => Promise.resolve(session.hubAwaySinceMs()),
      (sinceMs) => sinceMs === undefined,
    );
    await until(
      async () => {
        clock.pass(1000);
        return heartbeat();
      },
      (seen) => seen !== before.heartbeat,
    );
    await session.controllers.whenIdle();

    expect([...said].sort()).toEqual(saidBefore);
    // The one by which it joined has expired; there is no other.
    expect((await registrations()).filter((uid) => !before.registrations.includes(uid))).toEqual([]);
    expect(await identity()).toBe(before.identity);
    const messages = agent.lines.map(({ message }) => message);
    expect(messages.filter((message) => message === "joined the hub")).toHaveLength(1);
    expect(messages).not.toContain("the hub refuses the working credential; asking for another");
    await watching.stop();
  });
});
