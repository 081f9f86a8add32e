import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HubObjectPolicy, Repository, RepositorySpec } from "../../../src/model/generated/repository.ts";
import { trustKeySecretName } from "../../../src/hub/trust-key.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { findCondition } from "../../../src/planning/conditions.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";
import { defaultStatusBranch } from "../../../src/reconcile/status-branches.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import { until } from "../../support/until.ts";
import { askToJoin } from "./ask-to-join.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

describe("two hubs that follow one repository, with one workspace and one token", () => {
  let sessions: DaemonSession[];
  beforeEach(async () => {
    const first = await openDaemonSession(await readyHub());
    sessions = [first, await openDaemonSession(await readyHub(), { beside: first })];
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

describe("two hubs that follow one repository, with one status branch", () => {
  let sessions: readonly [DaemonSession, DaemonSession];
  beforeEach(async () => {
    const first = await openDaemonSession(await readyHub());
    sessions = [first, await openDaemonSession(await readyHub(), { beside: first })];
    await first.repository.commit({ files: { "token.yaml": tokenFile("Automatic") } });
  });
  afterEach(async () => {
    for (const session of [...sessions].reverse()) await session.close();
  });

  const ref = (session: DaemonSession) => {
    return { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
  };
  const writeBackOf = async (session: DaemonSession) => {
    const { status } = ((await session.api.get(ref(session))) ?? {}) as Partial<Repository>;
    return findCondition(status?.conditions, "WriteBackReady");
  };
  /** The hub that the head of the status branch names. */
  const ownerOf = async ({ repository }: DaemonSession): Promise<string> =>
    /^hub: (.*)$/mu.exec(await repository.git("show", `${defaultStatusBranch}:signature.yaml`))?.[1] ?? "";
  /** A run of a new source commit writes the status branch at once. */
  async function push(message: string): Promise<void> {
    const text = tokenFile("Automatic").replace("240h", `${message.length}h`);
    await sessions[0].repository.commit({ files: { "token.yaml": text }, message });
  }
  async function start(session: DaemonSession, spec: Partial<RepositorySpec> = {}): Promise<void> {
    await session.startDaemon({ spec });
    await session.settle();
  }

  it("do not write status commits over each other's: the second one names the owner of the branch", async () => {
    const [first, second] = sessions;
    await start(first);
    const written = (await first.repository.head(defaultStatusBranch)) ?? "";
    const owner = await ownerOf(first);
    await start(second);
    expect(await first.repository.head(defaultStatusBranch)).toBe(written);
    const condition = await writeBackOf(second);
    expect(condition).toMatchObject({ status: "False", reason: "BranchOfOtherHub" });
    expect(condition?.message).toContain(`at its head ${written}`);
    expect(condition?.message).toContain(`it belongs to hub ${owner}`);

    await push("both see it");
    const applied = [await first.settle(), await second.settle()];
    expect(applied.map(({ isApplied }) => isApplied)).toEqual([true, true]);
    expect(await ownerOf(first)).toBe(owner);
    expect(await first.repository.head(defaultStatusBranch)).not.toBe(written);
    expect(await writeBackOf(first)).toMatchObject({ status: "True" });
    expect(await writeBackOf(second)).toMatchObject({ status: "False" });
  });

  it("let the second one take the branch over at a named commit, once; the first one then reports it", async () => {
    const [first, second] = sessions;
    await start(first);
    const owner = await ownerOf(first);
    const takeOver = async (session: DaemonSession): Promise<void> => {
      const adopted = (await first.repository.head(defaultStatusBranch)) ?? "";
      const body = { metadata: { annotations: { [annotationKeys.adopt]: adopted } } };
      await session.api.mergePatch(ref(session), body, { fieldManager: "kubectl-annotate" });
    };
    await start(second);
    await takeOver(second);
    await push("the second writes");
    await second.settle();
    const successor = await ownerOf(first);
    expect(successor).not.toBe(owner);
    await first.settle();
    expect(await writeBackOf(first)).toMatchObject({ status: "False", reason: "BranchOfOtherHub" });
    expect(await writeBackOf(second)).toMatchObject({ status: "True" });
    expect(await ownerOf(first)).toBe(successor);

    await takeOver(first);
    await push("the first writes again");
    await first.settle();
    await second.settle();
    expect(await ownerOf(first)).toBe(owner);
    expect(await writeBackOf(second)).toMatchObject({ status: "False", reason: "BranchOfOtherHub" });
  });

  it("commit nothing that people do on the second one, whose status branch is not its own: it proposes it", async () => {
    const [first, second] = sessions;
    const { repository, workspace } = first;
    const committed: HubObjectPolicy = { workspaces: [workspace], policy: "Commit", deletions: "Commit" };
    const spec = { onHubObjects: [committed] };
    await start(first, spec);
    await start(second, spec);
    const head = await repository.head("main");
    const token = { type: resourceTypes.clusterRegistrationToken, namespace: workspace, name: "token" };
    const edit = { metadata: { labels: { site: "paris" } } };
    await second.api.mergePatch(token, edit, { fieldManager: "kubectl-edit" });
    const proposed = await until(
      () => repository.git("for-each-ref", "--format=%(refname:short)", "refs/heads/rollcall/hub"),
      (branches) => branches !== "",
    );
    expect(await repository.git("show", `${proposed.trim()}:token.yaml`)).toContain("paris");
    expect(await repository.head("main")).toBe(head);

    await first.api.mergePatch(token, { metadata: { labels: { site: "rome" } } }, { fieldManager: "kubectl-edit" });
    await until(
      () => repository.git("show", "main:token.yaml"),
      (text) => text.includes("rome"),
    );
  });

  it("are one hub if the second was built with the first one's trust key, also with one that replaced a stolen key", async () => {
    const [first, second] = sessions;
    await start(first);
    await first.stopDaemon();
    const owner = await ownerOf(first);
    const { api: hubApi, namespace } = first;
    const { signal } = new AbortController();
    const replacement = { hubApi, namespace, nowMs: Date.now(), makeKey: makeTrustKey, isOldRevoked: true, signal };
    await replaceTrustKey(replacement);
    const { secret: type } = resourceTypes;
    const key = await first.get(type, trustKeySecretName, namespace);
    const metadata = { name: trustKeySecretName, namespace: second.namespace };
    await second.api.create(
      { apiVersion: "v1", kind: "Secret", metadata, data: key?.["data"] },
      { fieldManager: "test" },
    );
    await push("the second writes");
    await start(second);
    expect(await writeBackOf(second)).toMatchObject({ status: "True" });
    expect(await ownerOf(first)).toBe(owner);
    expect(await first.repository.git("log", "--format=%H", defaultStatusBranch)).toMatch(/^\w+\n\w/u);
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
