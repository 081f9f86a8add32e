import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { forgeToken } from "../../support/forge/forge-state.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { startScriptedProxy } from "../../unit/kube/scripted-server.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const manager = { fieldManager: "test" };
const file = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec: {}\n";

describe("Repository.spec.forge takes effect on a running daemon without a new commit", () => {
  let session: DaemonSession;
  let server: ForgeServer;
  beforeEach(async () => {
    session = await openDaemonSession(await readyHub());
    server = await startForgeServer("Gitea");
    for (const [name, token] of Object.entries({ right: forgeToken, wrong: "wrong" })) {
      const metadata = { name, namespace: session.namespace };
      await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: { token } }, manager);
    }
    server.state.commits.push(await session.repository.commit({ files: { "a.yaml": file } }));
    return async () => {
      await session.close();
      await server.stop();
    };
  });

  const cases: readonly { field: string; before: (right: JsonObject) => JsonObject }[] = [
    { field: "spec.forge", before: () => ({}) },
    { field: "spec.forge.provider", before: (right) => ({ forge: { ...right, provider: "GitLab" } }) },
    {
      field: "spec.forge.apiURL",
      before: (right) => ({ forge: { ...right, apiURL: "http://127.0.0.1:9/api/v1" } }),
    },
    {
      field: "spec.forge.secretRef.name",
      before: (right) => ({ forge: { ...right, secretRef: { name: "wrong" } } }),
    },
  ];

  it.each(cases)("$field", async ({ before }) => {
    const right = { provider: "Gitea", apiURL: server.apiUrl, secretRef: { name: "right" } };
    await session.startDaemon({ spec: { url: server.repositoryUrl, ...before(right) } });
    expect(await session.settle()).toMatchObject({ isApplied: true });
    await session.whenIdle();
    expect(server.state.statuses).toEqual([]);
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    await session.api.mergePatch(ref, { spec: { forge: right } }, manager);
    const head = await session.repository.head();
    await until(
      () => Promise.resolve(server.state.statuses.map(({ commit }) => commit)),
      (commits) => commits.includes(head ?? ""),
    );
  });
});

describe("the forge of a Repository that names no Secret", () => {
  let session: DaemonSession;
  beforeEach(async () => {
    session = await openDaemonSession(await readyHub());
    return () => session.close();
  });

  it("gets reports with the token of the settings", async () => {
    const server = await startForgeServer("Gitea");
    const head = await session.repository.commit({ files: { "a.yaml": file } });
    server.state.commits.push(head);
    const forge = { provider: "Gitea", apiURL: server.apiUrl } as const;
    const forgeFlags = { token: async () => forgeToken, caBundle: async () => undefined };
    await session.startDaemon({ spec: { url: server.repositoryUrl, forge }, forgeFlags });
    expect(await session.settle()).toMatchObject({ isApplied: true });
    await until(
      async () => server.state.statuses.map(({ commit }) => commit),
      (commits) => commits.includes(head),
    );
    await server.stop();
  });

  it("is reached through the proxy of the environment", async () => {
    const proxy = await startScriptedProxy({ refuseWith: 403 });
    await session.repository.commit({ files: { "a.yaml": file } });
    const forge = { provider: "Gitea", apiURL: "https://forge.example/api/v1" } as const;
    await session.startDaemon({
      spec: { url: "https://forge.example/o/r.git", forge },
      forgeFlags: { token: async () => forgeToken, caBundle: async () => undefined },
      environment: { HTTPS_PROXY: proxy.url },
    });
    await until(
      async () => proxy.asked,
      (asked) => asked.includes("CONNECT forge.example:443"),
    );
    await proxy.stop();
  });
});
