import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textAt } from "../../../src/core/read-json.ts";
import { ensureTrustKey } from "../../../src/hub/trust-key.ts";
import { keyDigest } from "../../../src/join/rollcall/messages.ts";
import { agentNames } from "../../../src/model/dialects/rollcall.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { realClock } from "../../support/real-time.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import { conditionOf, declare, install, kubeconfigSecret, token, untilLogged, valuesOf } from "./fleet-helpers.ts";
import type { FleetSession, RunningAgent } from "./fleet-session.ts";
import { openFleetSession } from "./fleet-session.ts";

const { cluster, clusterRegistration, customResourceDefinition, deployment, lease, secret } = resourceTypes;
const { signal } = new AbortController();

describe("a hub whose trust key is replaced", () => {
  let session: FleetSession;
  beforeAll(async () => {
    session = await openFleetSession(await readyHub());
  });
  afterAll(() => session.close());

  /** As `rollcall trust replace` does, and then a daemon that starts again. */
  async function replace({ isOldRevoked = false } = {}): Promise<{ number: number; digest: string }> {
    const options = {
      hubApi: session.api,
      namespace: session.hubFacts().daemonNamespace,
      makeKey: makeTrustKey,
      signal,
    };
    const replaced = await replaceTrustKey({ ...options, nowMs: realClock.nowMs(), isOldRevoked });
    const { endpoint } = session.hubFacts();
    session.changeFacts(await ensureTrustKey({ ...options, nowMs: realClock.nowMs(), endpoint }));
    return replaced;
  }

  async function join(name: string): Promise<{ namespace: string; agent: RunningAgent }> {
    const namespace = session.agentNamespace();
    const kubeConfigSecretRef = await kubeconfigSecret(session, name);
    await declare(session, name, { clientID: name, kubeConfigSecretRef, agent: { namespace } });
    await session.untilIn(namespace, deployment, "rollcall-agent", (object) => object !== undefined);
    const agent = await session.startAgent(namespace);
    await session.until(cluster, name, (object) => conditionOf(object, "Ready") === "True");
    return { namespace, agent };
  }

  const trusts = (agent: RunningAgent, { number }: { readonly number: number }) =>
    untilLogged(
      agent.lines,
      ({ message, fields }) => message === "the hub's trust key was replaced" && fields["number"] === number,
    );
  const registrations = async () =>
    (await session.api.list(clusterRegistration, { namespace: session.workspace })).items.map(
      ({ metadata }) => metadata.uid,
    );
  const heartbeatOf = async (name: string) => textAt(await session.get(lease, `rollcall-${name}`), "spec", "renewTime");
  const identityIn = async (namespace: string): Promise<unknown> => {
    const text = textAt(await session.get(secret, "rollcall-agent-identity", namespace), "data", "identity") ?? "";
    return JSON.parse(Buffer.from(text, "base64").toString("utf8"));
  };

  it("has no agent register again: neither one that is there, nor one that is away for two replacements", async () => {
    const here = await join("here");
    const away = await join("away");
    await away.agent.stop();
    const before = { registrations: await registrations(), hubId: session.hubFacts().hubId };
    const heartbeat = await heartbeatOf("away");

    await trusts(here.agent, await replace());
    const second = await replace();
    await trusts(here.agent, second);
    const back = await session.startAgent(away.namespace);
    await trusts(back, second);
    await session.until(lease, "rollcall-away", (object) => textAt(object, "spec", "renewTime") !== heartbeat);

    expect(second.number).toBe(3);
    expect(session.hubFacts().hubId).toBe(before.hubId);
    expect(await identityIn(away.namespace)).toMatchObject({
      format: 2,
      hubId: before.hubId,
      trustKey: { digest: second.digest, number: 3 },
    });

    // The former key was stolen: the hub itself sends its agents the next one.
    const third = await replace({ isOldRevoked: true });
    await trusts(here.agent, third);
    await trusts(back, third);
    expect((await registrations()).filter((uid) => !before.registrations.includes(uid))).toEqual([]);
    const lines = [...here.agent.lines, ...back.lines].map(({ message }) => message);
    expect(lines.filter((message) => message === "joined the hub")).toHaveLength(1);
  });

  it("gives new agents values that name the present key", async () => {
    await session.create(token(session, "later", { clusterNames: ["newcomer"] }));
    const values = await valuesOf(session, "later");
    expect(values.hub).toMatchObject({
      id: session.hubFacts().hubId,
      trustKey: keyDigest(session.hubFacts().trust.publicKey),
    });
    const { digest } = await replace();
    await session.until(secret, "later", (object) =>
      Buffer.from(textAt(object, "data", "values") ?? "", "base64")
        .toString("utf8")
        .includes(digest),
    );
    const namespace = session.agentNamespace();
    await install(session, namespace, { ...(await valuesOf(session, "later")), cluster: { name: "newcomer" } });
    await session.startAgent(namespace);
    await session.until(cluster, "newcomer", (object) => conditionOf(object, "Joined") === "True");
  });

  it("is followed by an agent that gets new values after a revocation, as the cluster that it is", async () => {
    const { namespace, agent } = await join("stranded");
    await agent.stop();
    const replaced = await replace({ isOldRevoked: true });
    await session.create(token(session, "again", {}));
    const values = Buffer.from(JSON.stringify(await valuesOf(session, "again"))).toString("base64");
    const ref = { type: secret, namespace, name: agentNames.values };
    await session.api.mergePatch(ref, { data: { values } }, { fieldManager: "test", signal });
    const before = await registrations();
    const back = await session.startAgent(namespace);
    await untilLogged(back.lines, ({ message }) => message.startsWith("the values name a newer trust key"));
    expect(await identityIn(namespace)).toMatchObject({
      trustKey: { digest: replaced.digest, number: replaced.number },
      membership: { clusterName: "stranded" },
    });
    expect(await registrations()).toEqual(before);
  });

  it("is replaced once by two commands at the same time, and refuses programs that do not know of it", async () => {
    const { daemonNamespace: namespace } = session.hubFacts();
    const options = { hubApi: session.api, namespace, nowMs: 0, makeKey: makeTrustKey, isOldRevoked: false, signal };
    const results = await Promise.allSettled([replaceTrustKey(options), replaceTrustKey(options)]);
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    expect(failures).toEqual([expect.objectContaining({ code: "E_KUBE_CONFLICT" })]);
    const definition = await session.api.get({ type: customResourceDefinition, name: "clusters.rollcall.dev" });
    expect(definition?.metadata.annotations).toMatchObject({ "rollcall.dev/data-format": "2" });
  });
});
