import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { embeddedHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { askToJoin } from "./ask-to-join.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

describe("two hubs that follow one repository, with one workspace and one token", () => {
  let sessions: DaemonSession[];
  beforeEach(async () => {
    const first = await openDaemonSession(await embeddedHub());
    sessions = [first, await openDaemonSession(await embeddedHub(), { beside: first })];
  });
  afterEach(async () => {
    for (const session of [...sessions].reverse()) await session.close();
  });

  async function start(session: DaemonSession, branch: string): Promise<void> {
    await session.startDaemon({ spec: { writeBack: { branch } } });
    await session.settle();
  }

  /** The branches of proposals, each with the files that it adds to main. */
  async function proposals({ repository }: DaemonSession): Promise<readonly string[]> {
    const listed = await repository.git("for-each-ref", "--format=%(refname:short)", "refs/heads/rollcall");
    const branches = listed.split("\n").filter((name) => name !== "" && !name.startsWith("rollcall/status"));
    const adds = (branch: string) => repository.git("diff", "--name-only", `main...${branch}`);
    return Promise.all(branches.map(async (branch) => (await adds(branch)).trim().replaceAll("\n", " ")));
  }

  const withdraw = (session: DaemonSession, name: string): Promise<unknown> =>
    session.api.delete({ type: resourceTypes.clusterRegistration, namespace: session.workspace, name });
  const revoke = (session: DaemonSession, name: string): Promise<unknown> =>
    session.api.mergePatch(
      { type: resourceTypes.cluster, namespace: session.workspace, name },
      { metadata: { annotations: { [annotationKeys.revoked]: "-/alice/2026-01-01T00:00:00Z" } } },
      { fieldManager: "rollcall-operator" },
    );

  it.each([
    { reason: "ask to join", approval: "PullRequest", end: withdraw },
    { reason: "were admitted", approval: "Automatic", end: revoke },
  ])("keep the files of agents that $reason apart, and remove no branch of the other one", async (given) => {
    const { approval, end } = given;
    const [first] = sessions as [DaemonSession];
    await first.repository.commit({ files: { "token.yaml": tokenFile(approval) } });
    const wanted: string[] = [];
    const asked: string[] = [];
    for (const [index, session] of sessions.entries()) {
      await start(session, `rollcall/status-${index}`);
      const name = `edge-${index}`;
      const registration = await askToJoin(session, "token", name);
      asked.push(approval === "Automatic" ? name : registration);
      if (approval === "Automatic")
        await until(
          () => session.get(resourceTypes.cluster, name),
          (object) => object !== undefined,
        );
      session.enqueue();
      wanted.push(`clusters/${session.workspace}/${name}.yaml`);
      await expect.poll(async () => [...(await proposals(session))].sort()).toEqual(wanted);
    }
    for (const [index, session] of [...sessions.entries()].reverse()) {
      await end(session, asked[index] ?? "");
      session.enqueue();
      await expect.poll(() => proposals(session)).toEqual(wanted.slice(0, index));
    }
  });
});

function tokenFile(approval: string): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterRegistrationToken",
    metadata: { name: "token" },
    spec: { ttl: "240h", approval },
  });
}
