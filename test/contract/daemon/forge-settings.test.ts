import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { startForgeServer } from "../../support/forge/forge-server.ts";
import type { ForgeServer } from "../../support/forge/forge-server.ts";
import { forgeToken } from "../../support/forge/forge-state.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
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
