import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { textAt } from "../../../src/core/read-json.ts";
import type { AgentValues } from "../../../src/join/rollcall/agent-values.ts";
import { readIdentity } from "../../../src/join/rollcall/downstream/agent-identity.ts";
import { makeRenewal, readRenewal } from "../../../src/join/rollcall/downstream/membership.ts";
import { readValuesText } from "../../../src/join/rollcall/downstream/values.ts";
import { fixedConnection } from "../../../src/kube/connection.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { untilRefused } from "../../support/until-refused.ts";
import { token, valuesOf } from "../agent/fleet-helpers.ts";
import { openFleetSession } from "../agent/fleet-session.ts";
import { installAgent } from "./install-agent.ts";
import { clusterFile, openLifeSession, tokenFile } from "./life-session.ts";
import type { LifeSession } from "./life-session.ts";

const { cluster, clusterRegistration, clusterReport, lease, secret, serviceAccount } = resourceTypes;

/** What credentials open from their holders' side, and how soon they do not any more. */
export function describeEnds(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`the end of credentials on ${name}`, () => {
    let session: LifeSession;
    const holders: KubeApi[] = [];

    beforeAll(async () => {
      session = await openLifeSession(await startHub());
      await session.startDaemon();
    });
    afterAll(async () => {
      for (const api of holders) await api.close();
      await session.close();
    });

    const hold = (credential: string): KubeApi => {
      const { url, caBundle } = session.endpoint;
      const transport = createHttpsTransport(fixedConnection({ server: url, caPem: caBundle, token: credential }));
      const api = createKubeApi({ transport, clock: realClock, random: realRandom, types: [] });
      holders.push(api);
      return api;
    };
    const values = async (of: string): Promise<AgentValues> => {
      const filled = await session.until(secret, of, (seen) => textAt(seen, "data", "values") !== undefined);
      const finding = readValuesText(Buffer.from(textAt(filled, "data", "values") ?? "", "base64").toString("utf8"));
      if (finding.kind !== "values") throw new Error("the token's values are not complete");
      return finding.values;
    };
    const identityIn = async (namespace: string) => {
      const held = await session.get(secret, "rollcall-agent-identity", namespace);
      const text = Buffer.from(textAt(held, "data", "identity") ?? "", "base64").toString("utf8");
      const identity = readIdentity(JSON.parse(text));
      if (identity?.membership === undefined) throw new Error("the agent was not let in");
      return { ...identity, membership: identity.membership };
    };
    const nobody = () => ({ type: clusterRegistration, namespace: session.workspace, name: "nobody" });

    it.each([
      { ttl: "1h", form: "bound to a Secret" },
      { ttl: "0", form: "an account's, without an end" },
    ])("A7: a token's credential ($form) is refused 15 s after its file is deleted", async ({ ttl }) => {
      const door = `door-${ttl}`;
      const member = `in-${ttl}`;
      await session.commit({
        "tokens/door.yaml": tokenFile(door, [`ttl: ${ttl}`, `clusterNames: [${member}]`]),
        [`clusters/${member}.yaml`]: clusterFile(member, ["heartbeat: { periodSeconds: 1 }"]),
      });
      const given = await values(door);
      const api = hold(given.token.credential);
      const place = session.agentNamespace();
      await installAgent(session.api, place, { ...given, cluster: { name: member, clientID: member } });
      const agent = await session.startAgent(place);
      await session.untilReady(member);
      expect(await answerOf(api, nobody())).toBe("accepted");
      await session.repository.commit({ files: { "tokens/door.yaml": null } });
      session.enqueue();
      await untilRefused(() => answerOf(api, nobody()));
      // Clusters that joined by it stay.
      const heartbeat = textAt(await session.get(lease, `rollcall-${member}`), "spec", "renewTime");
      const isLater = (seen: unknown) => (textAt(seen, "spec", "renewTime") ?? heartbeat) !== heartbeat;
      await session.until(lease, `rollcall-${member}`, isLater);
      await agent.stop();
    });

    it("A8: a cluster's credentials open nothing 15 s after the revoke step of its leave", async () => {
      const place = session.agentNamespace();
      await session.kubeconfigSecret("kubeconfig");
      const spec = ["clientID: leaving", "kubeConfigSecretRef: { name: kubeconfig }", `agent: { namespace: ${place} }`];
      await session.commit({ "clusters/leaving.yaml": clusterFile("leaving", spec) });
      const agent = await session.startInstalledAgent(place);
      await session.untilReady("leaving");
      const { membership } = await identityIn(place);
      const credentials = [membership.credential.token, membership.recoveryToken];
      const apis = credentials.map(hold);
      await agent.stop();
      const report = { type: clusterReport, namespace: session.workspace, name: "leaving" };
      for (const api of apis) expect(await answerOf(api, report)).toBe("accepted");
      await session.repository.commit({
        files: { "clusters/leaving.yaml": null },
        message: "Let it go\n\nRollcall-Allow-Deletions: 1\n",
      });
      session.enqueue();
      // The step takes the accounts away: the moment from which no agent can be admitted by them.
      await session.untilDeleted(serviceAccount, "rollcall-leaving");
      await untilRefused(...apis.map((api) => () => answerOf(api, report)));
    });

    it("A8: a credential that is asked for while its cluster is revoked opens nothing 15 s later, and no former one", async () => {
      const place = session.agentNamespace();
      const spec = ["clientID: asking", "kubeConfigSecretRef: { name: kubeconfig }", `agent: { namespace: ${place} }`];
      await session.commit({ "clusters/asking.yaml": clusterFile("asking", spec) });
      const agent = await session.startInstalledAgent(place);
      await session.untilReady("asking");
      const identity = await identityIn(place);
      const { membership } = identity;
      await agent.stop();
      const namespace = session.workspace;
      const report = { type: clusterReport, namespace, name: "asking" };
      const recovery = hold(membership.recoveryToken);
      const number = membership.credential.number;
      const ask = (nonce: number) =>
        recovery.mergePatch(
          report,
          { spec: { renewal: makeRenewal(identity, membership, nonce) } },
          { fieldManager: "rollcall-agent" },
        );
      const answered = async (nonce: number) => {
        const live = await session.get(clusterReport, "asking");
        return live && readRenewal(identity, live, nonce)?.credential.token;
      };
      // The next one is answered at once only if the newest was taken away.
      await session.api.delete({ type: secret, namespace, name: `rollcall-asking.${number}` });
      const first = identity.lastNonce + Date.now();
      await ask(first);
      const second = await until(
        () => answered(first),
        (token) => token !== undefined,
      );
      await session.api.delete({ type: secret, namespace, name: `rollcall-asking.${number + 1}` });
      const revocation = { [annotationKeys.revoked]: `-/test/${new Date().toISOString()}` };
      const revoke = { metadata: { annotations: revocation } };
      await Promise.all([
        ask(first + 1),
        session.api.mergePatch({ type: cluster, namespace, name: "asking" }, revoke, { fieldManager: "test" }),
      ]);
      await session.untilDeleted(serviceAccount, "rollcall-asking");
      const third = await answered(first + 1);
      const held = [membership.credential.token, membership.recoveryToken, second ?? "", third ?? ""];
      await untilRefused(...held.filter(Boolean).map((token) => () => answerOf(hold(token), report)));
    });
  });

  describe(`the end of a token's time on ${name}`, () => {
    it("A7: its credential opens nothing 15 s after that, though it is good for longer", async () => {
      const session = await openFleetSession(await startHub());
      try {
        await session.create(token(session, "short", { ttl: "10m" }));
        const { token: given } = await valuesOf(session, "short");
        const { url, caBundle } = session.hubFacts().endpoint;
        const connection = fixedConnection({ server: url, caPem: caBundle, token: given.credential });
        const transport = createHttpsTransport(connection);
        const api = createKubeApi({ transport, clock: realClock, random: realRandom, types: [] });
        const ref = { type: clusterRegistration, namespace: session.workspace, name: "nobody" };
        expect(await answerOf(api, ref)).toBe("accepted");
        session.shiftHubTime(10 * 60_000 + 1000);
        await untilRefused(() => answerOf(api, ref));
        await api.close();
      } finally {
        await session.close();
      }
    });
  });
}

/** Nothing has this name: clients that may read get Not Found. */
async function answerOf(api: KubeApi, ref: ObjectRef): Promise<string> {
  try {
    await api.get(ref);
    return "accepted";
  } catch (error) {
    return textAt(error, "code") ?? String(error);
  }
}
