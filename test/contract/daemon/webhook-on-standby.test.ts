import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import { followRepository } from "../../../src/daemon/wire-repository.ts";
import type { Daemon } from "../../../src/daemon/wire-run.ts";
import { startDaemon } from "../../../src/daemon/wire-run.ts";
import type { DaemonWeb } from "../../../src/daemon/wire-web.ts";
import { startDaemonWeb } from "../../../src/daemon/wire-web.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { openLocalEngine } from "../../support/local-engine.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const secret = "webhook-secret";
const file = (name: string): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name } });

let session: DaemonSession;
let git: GitEngine;
let standby: Daemon;
let web: DaemonWeb;
const ending = new AbortController();
/** What the replica on standby writes by a patch. */
const requests: string[] = [];

beforeAll(async () => {
  session = await openDaemonSession(await readyHub());
  await session.repository.commit({ files: { "a.yaml": file("a") } });
  await session.startDaemon({ identity: "leader", spec: { url: "https://git.example.com/team/fleet.git" } });
  await session.settle();
  git = await openLocalEngine(session.repository.path, `${session.repository.path}.standby`);
  const { api, namespace, endpoint } = session;
  const hubApi: KubeApi = {
    ...api,
    mergePatch: (...args) => {
      requests.push(args[0].name);
      return api.mergePatch(...args);
    },
  };
  const repository = await followRepository(hubApi, { namespace, name: "fleet" }, ending.signal);
  standby = await startDaemon({
    hubApi,
    git,
    repository,
    namespace,
    endpoint,
    agentImage: "rollcall",
    identity: "standby",
    log: silentLog,
    signal: ending.signal,
  });
  const webhookSecrets = async () => [secret];
  web = await startDaemonWeb({
    address: "127.0.0.1:0",
    hubApi,
    log: silentLog,
    isServingInstalls: false,
    webhookSecrets,
  });
  web.attach(standby, repository);
});
afterAll(async () => {
  await web?.close();
  await standby?.stop();
  await git?.close();
  ending.abort();
  await session?.close();
});

/** Sends a webhook of a script to the replica that does not lead. */
async function send(repository: string, branch: string): Promise<string> {
  const body = JSON.stringify({ repository, ref: `refs/heads/${branch}` });
  const headers = { "x-rollcall-signature": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
  return (await fetch(`http://127.0.0.1:${web.port}/webhook`, { method: "POST", body, headers })).text();
}

it("a push is applied before the next poll when its webhook reaches the replica that does not lead", async () => {
  await session.repository.commit({ files: { "b.yaml": file("b") } });
  expect(await send("team/fleet", "main")).toBe("taken\n");
  await until(
    () => session.get(resourceTypes.cluster, "b"),
    (cluster) => cluster !== undefined,
  );
});

it("webhooks of other repositories and of the status branch write nothing, and many at once are few requests", async () => {
  requests.length = 0;
  expect(await send("team/other", "main")).toBe("ignored\n");
  expect(await send("team/fleet", "rollcall/status")).toBe("taken\n");
  expect(requests).toEqual([]);
  await Promise.all(Array.from({ length: 20 }, () => send("team/fleet", "main")));
  await until(
    async () => requests.length,
    (count) => count > 0,
  );
  expect(requests.length).toBeLessThanOrEqual(2);
});
