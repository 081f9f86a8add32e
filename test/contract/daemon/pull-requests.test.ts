import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readPlanMarker } from "../../../src/forge/plan-comment.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { forgeToken } from "../../support/forge/forge-state.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

describe("pull requests, at the daemon", () => {
  let session: DaemonSession;
  let server: ForgeServer;
  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    server = await startForgeServer("Gitea");
    await session.api.create(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "forge", namespace: session.namespace },
        stringData: { token: forgeToken },
      },
      { fieldManager: "test" },
    );
    await session.repository.commit({
      files: { "eu-1.yaml": clusterFile("eu-1"), "eu-2.yaml": clusterFile("eu-2") },
    });
    await session.startDaemon({
      spec: { url: server.repositoryUrl, forge: { provider: "Gitea", secretRef: { name: "forge" } } },
    });
    expect(await session.settle()).toMatchObject({ isApplied: true });
  });
  afterAll(async () => {
    await session.close();
    await server.stop();
  });

  const comment = (): string => server.state.comments.at(-1)?.body ?? "";

  async function open(files: Record<string, string | null>): Promise<string> {
    const from = await session.repository.head();
    const headCommit = await session.repository.commit({ branch: "change", files, ...(from ? { from } : {}) });
    server.state.commits.push(headCommit);
    server.state.pulls = [
      {
        number: 1,
        title: "Change it",
        body: "",
        head: "change",
        headCommit,
        base: "main",
        isOpen: true,
        isDraft: false,
        headRepositoryId: 1,
      },
    ];
    session.enqueue();
    return headCommit;
  }

  it("are planned against the hub, reported in one comment and two statuses, and reported again when the branch moves", async () => {
    const head = await open({ "eu-1.yaml": null });
    await until(
      async () => server.state.statuses.filter(({ commit }) => commit === head).map(({ context }) => context),
      (contexts) => contexts.length === 2,
    );
    expect(comment()).toContain("This removes 1 cluster");
    expect(readPlanMarker(comment())).toMatchObject({ head, base: await session.repository.head(), isVoid: false });
    await session.repository.commit({ files: { "eu-3.yaml": clusterFile("eu-3") } });
    const main = await session.repository.head();
    session.enqueue();
    await until(
      async () => readPlanMarker(comment()),
      (marker) => marker?.base === main && !marker?.isVoid,
    );
    expect(server.state.comments).toHaveLength(1);
    expect(comment()).toContain("Rollcall plan: removes 1 cluster\n");
    // What the plan lists has not happened: it is not merged.
    expect(await session.get(resourceTypes.cluster, "eu-1")).toBeDefined();
  });

  it("A43 change nothing on the hub before they are merged", async () => {
    const before = await session.get(resourceTypes.cluster, "eu-1");
    const head = await open({ "eu-1.yaml": null, "eu-9.yaml": clusterFile("eu-9") });
    await until(
      async () => readPlanMarker(comment()),
      (marker) => marker?.head === head && !marker.isVoid,
    );
    await session.settle();
    const { generation, labels, annotations } = (await session.get(resourceTypes.cluster, "eu-1"))?.metadata ?? {};
    expect({ generation, labels, annotations }).toEqual({
      generation: before?.metadata.generation,
      labels: before?.metadata.labels,
      annotations: before?.metadata.annotations,
    });
    expect(await session.get(resourceTypes.cluster, "eu-9")).toBeUndefined();
  });

  it("do not keep the daemon from its work while the forge is away", async () => {
    server.intercept(
      ...Array.from({ length: 50 }, () => (response: { destroy: () => unknown }) => void response.destroy()),
    );
    await open({ "eu-2.yaml": null });
    await session.repository.commit({ files: { "eu-4.yaml": clusterFile("eu-4") } });
    session.enqueue();
    await until(
      async () => session.log.lines.findLast((line) => line.includes("change applied")) ?? "",
      (line) => line.includes("eu-4"),
    );
  });
});

function clusterFile(name: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: ${name}}\nspec: {displayName: ${name}}\n`;
}
