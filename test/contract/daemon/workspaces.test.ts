import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt } from "../../../src/core/read-json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

describe("a namespace that becomes a workspace after the file that names it was pushed", () => {
  let session: DaemonSession;
  let later: string;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    later = `${session.workspace}-later`;
    const file = `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: ${later}}\n`;
    await session.repository.commit({ files: { "a.yaml": file } });
    await session.startDaemon({ spec: { workspaces: [session.workspace, later] } });
    expect(await session.settle()).toMatchObject({ errorCount: 1 });
  });
  afterAll(() => session.close());

  const label = (value: string | null) =>
    session.api.mergePatch(
      { type: resourceTypes.namespace, name: later },
      { metadata: { labels: { [labelKeys.workspace]: value } } },
      { fieldManager: "test" },
    );

  it("has its clusters without another commit, long before the interval of ten minutes", async () => {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: later } };
    await session.api.create(body, { fieldManager: "test" });
    await label("true");
    await until(
      () => session.get(resourceTypes.cluster, "a", later),
      (cluster) => cluster !== undefined,
    );
    expect(await session.settle()).toMatchObject({ errorCount: 0 });
  });

  it("is refused as soon as its label is removed", async () => {
    const looks = session.lookCount();
    await label(null);
    await until(
      () => Promise.resolve(session.lookCount()),
      (count) => count > looks,
    );
    expect(await session.settle()).toMatchObject({ errorCount: 1 });
    expect(await session.get(resourceTypes.cluster, "a", later)).toBeDefined();
  });
});

describe("a daemon that is started with other workspaces than before", () => {
  it("follows with the hub's controllers what is in them", async () => {
    const session = await openDaemonSession(await readyHub());
    try {
      const file = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n";
      await session.repository.commit({ files: { "a.yaml": file } });
      await session.startDaemon({ spec: { workspaces: ["elsewhere"] } });
      expect(await session.settle()).toMatchObject({ errorCount: 1 });
      await session.stopDaemon();
      await session.startDaemon({ spec: { workspaces: [session.workspace] } });
      await until(
        () => session.get(resourceTypes.cluster, "a"),
        (cluster) => conditionOf(cluster, "Joined") !== undefined,
      );
    } finally {
      await session.close();
    }
  });
});

describe("a daemon that is limited to some workspaces", () => {
  it("leaves alone what a person makes in another one, although its Repository allows it", async () => {
    const session = await openDaemonSession(await readyHub());
    try {
      const beyond = `${session.workspace}-beyond`;
      const metadata = { name: beyond, labels: { [labelKeys.workspace]: "true" } };
      await session.api.create({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
      const workspaceLimit = [session.workspace];
      await session.startDaemon({ spec: { workspaces: [session.workspace, beyond] }, workspaceLimit });
      const conditionsOf = async (namespace: string) =>
        objectsAt(await session.get(resourceTypes.cluster, "own", namespace), "status", "conditions");
      for (const namespace of [beyond, session.workspace]) {
        const cluster = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "own", namespace } };
        await session.api.create({ ...cluster, spec: {} }, { fieldManager: "test" });
      }
      await until(
        () => conditionsOf(session.workspace),
        (conditions) => conditions.length > 0,
      );
      await session.whenIdle();
      expect(await conditionsOf(beyond)).toEqual([]);
    } finally {
      await session.close();
    }
  });
});
