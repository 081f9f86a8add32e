import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Log } from "../../../../src/core/log.ts";
import { silentLog } from "../../../../src/core/log.ts";
import { createPageActions } from "../../../../src/daemon/page/page-actions.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";
import type { PageAction } from "../../../../src/web/dashboard/page-actions.ts";
import type { ActingHub } from "../../../support/acting-hub.ts";
import { openActingHub, withheldCommit } from "../../../support/acting-hub.ts";
import type { ScriptedServer } from "../../kube/scripted-server.ts";
import { answerJson, startScriptedServer } from "../../kube/scripted-server.ts";

const cluster: Cluster = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Cluster",
  metadata: { name: "c1", namespace: "fleet" },
  spec: {},
};
const target = { workspace: "fleet", name: "c1" };
const editor = "system:serviceaccount:rollcall-system:editor";
const reader = "system:serviceaccount:rollcall-system:reader";

describe("actions of the page on a hub", () => {
  let hub: ActingHub;
  const logged: unknown[] = [];
  beforeAll(async () => {
    const note = (message: string, fields: unknown): void => void logged.push([message, fields]);
    const log: Log = { ...silentLog, info: note, warn: note };
    hub = await openActingHub([cluster], log);
  });
  afterAll(() => hub.stop());

  const perform = (action: PageAction, who: "editor" | "reader" = "editor"): Promise<string> =>
    hub.actions.perform({ user: who === "editor" ? editor : reader, token: hub.tokens[who] }, action);

  it.each<{ action: PageAction; says: string }>([
    {
      action: { action: "SuspendCluster", target },
      says: "Cluster/fleet/c1 is suspended until rollcall resume fleet/c1.",
    },
    { action: { action: "ResumeCluster", target }, says: "Cluster/fleet/c1 is resumed." },
    { action: { action: "RevokeCluster", target }, says: "Cluster/fleet/c1 is revoked." },
    { action: { action: "Reconcile" }, says: "A running daemon handles it at once." },
    { action: { action: "SuspendRepository" }, says: "Repository/rollcall-system/fleet is suspended." },
    { action: { action: "ResumeRepository" }, says: "Repository/rollcall-system/fleet is resumed." },
    {
      action: { action: "ApproveRemovals", commit: withheldCommit, count: 2 },
      says: "2 withheld removals of commit 4c1d0a9be7f2 are approved",
    },
  ])("A84 $action.action is refused to who may only read, and done for who may patch", async ({ action, says }) => {
    const before = [await hub.readCluster("c1"), await hub.readRepository()];
    const object = "target" in action ? "Cluster/fleet/c1" : "Repository/rollcall-system/fleet";
    logged.length = 0;
    const message: unknown = expect.stringMatching(/^The hub's rules do not let you patch /u);
    await expect(perform(action, "reader")).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN", message });
    expect([await hub.readCluster("c1"), await hub.readRepository()]).toEqual(before);
    const refusal = { action: action.action, object, user: reader, error: { code: "E_KUBE_FORBIDDEN" } };
    expect(logged).toMatchObject([["action of a viewer of the page failed", refusal]]);
    logged.length = 0;
    expect(await perform(action)).toContain(says);
    expect([await hub.readCluster("c1"), await hub.readRepository()]).not.toEqual(before);
    expect(logged).toEqual([["action of a viewer of the page", { action: action.action, object, user: editor }]]);
  });

  it("leaves the records of the commands: their manager, and the viewer in a revocation", async () => {
    const revoked = await hub.readCluster("c1");
    expect(revoked?.metadata.annotations?.["rollcall.dev/revoked"]).toMatch(
      /^-\/system_serviceaccount_rollcall-system_editor\/[0-9T:-]+Z$/u,
    );
    const managers = revoked?.metadata.managedFields?.map(({ manager }) => manager);
    expect(managers).toContain("rollcall-operator");
  });

  it("lists for each viewer what the hub lets them do, with the missing right", async () => {
    const right = (action: string) => ({ action, isAllowed: true });
    expect(await hub.actions.rights({ user: editor, token: hub.tokens.editor }, target)).toEqual(
      ["SuspendCluster", "ResumeCluster", "RevokeCluster"].map(right),
    );
    expect(await hub.actions.rights({ user: editor, token: hub.tokens.editor }, undefined)).toEqual(
      ["Reconcile", "SuspendRepository", "ResumeRepository", "ApproveRemovals"].map(right),
    );
    const rights = await hub.actions.rights({ user: reader, token: hub.tokens.reader }, target);
    expect(new Set(rights.map(({ isAllowed, why }) => `${isAllowed} ${why}`))).toEqual(
      new Set(["false The hub's rules do not let you patch clusters.rollcall.dev/c1 in namespace fleet."]),
    );
  });

  it("approves the commit and the count that the viewer saw, and nothing else", async () => {
    const few = perform({ action: "ApproveRemovals", commit: withheldCommit, count: 1 });
    await expect(few).rejects.toMatchObject({ code: "E_APPROVAL" });
    const other = perform({ action: "ApproveRemovals", commit: "1234567", count: 2 });
    await expect(other).rejects.toMatchObject({ code: "E_APPROVAL" });
  });

  it("A84 does nothing with a token that the hub does not accept", async () => {
    const refused = hub.actions.perform({ user: editor, token: "none" }, { action: "Reconcile" });
    await expect(refused).rejects.toMatchObject({ code: "E_KUBE_UNAUTHORIZED" });
  });
});

describe("an action of the page on a hub that stalls", () => {
  let server: ScriptedServer;
  beforeAll(async () => {
    server = await startScriptedServer(() => undefined);
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => server.stop());

  const act = (): Promise<string> =>
    createPageActions({
      connection: server.connection(),
      repository: { namespace: "rollcall-system", name: "fleet" },
      log: silentLog,
    }).perform({ user: editor, token: "t" }, { action: "Reconcile" });

  it("ends after twenty seconds, so that it does not hold the viewer's turn", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const failing = expect(act()).rejects.toMatchObject({
      code: "E_KUBE_UNREACHABLE",
      message: "act on the hub: it did not answer in time",
    });
    await server.whenReceived(1);
    vi.advanceTimersByTime(20_000);
    await failing;
  });

  it("leaves no connection open", async () => {
    server.script = ({ body }, response) =>
      answerJson(response, 201, { ...(JSON.parse(body) as object), status: { allowed: false } });
    await expect(act()).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
    // Both ends are in this process: the server learns of the end within a few turns, and of an idle connection in a minute.
    for (let turns = 0; turns < 1000 && server.openSockets > 0; turns++) await setImmediate();
    expect(server.openSockets).toBe(0);
  });
});
