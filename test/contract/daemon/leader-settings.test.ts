import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseJson } from "../../../src/core/parse-json.ts";
import { numberAt, textAt } from "../../../src/core/read-json.ts";
import { leadBefore } from "../../../src/daemon/leadership.ts";
import { openOrWait } from "../../../src/daemon/patient-engine.ts";
import { followRepository } from "../../../src/daemon/wire-repository.ts";
import type { Daemon } from "../../../src/daemon/wire-run.ts";
import { startDaemon } from "../../../src/daemon/wire-run.ts";
import { openGitEngine } from "../../../src/git/engine/open-git-engine.ts";
import type { GitEngine } from "../../../src/git/git.ts";
import { lockFolder } from "../../../src/git/local/folder-lock.ts";
import { readSigned } from "../../../src/join/rollcall/downstream/membership.ts";
import { hubInfoName, publicNamespace } from "../../../src/model/dialects/rollcall.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { replaceTrustKey } from "../../../src/recovery/replace-trust-key.ts";
import { realClock, realRandom } from "../../../src/system/real-clock.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import type { GitHttpServer } from "../../support/git-http-server.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import { until } from "../../support/until.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const file = (name: string): string =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name } });

describe("two daemons with different settings", () => {
  let session: DaemonSession;
  let server: GitHttpServer;
  let git: GitEngine;
  let second: Daemon;
  let release: () => Promise<void>;
  const ending = new AbortController();
  const spec = async (key: string): Promise<string | undefined> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return textAt(await session.api.get(ref), "spec", key);
  };
  const ready = async (): Promise<string> => {
    const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
    return JSON.stringify((await session.api.get(ref))?.["status"] ?? {});
  };

  beforeAll(async () => {
    session = await openDaemonSession(await readyHub());
    await session.repository.commit({ files: { "a.yaml": file("a") } });
    await session.startDaemon({ identity: "first", spec: { interval: "9m" } });
    await session.settle();
  });
  afterAll(async () => {
    await second?.stop();
    await git?.close();
    ending.abort();
    await server?.close();
    await session?.close();
  });

  it("are awaited by a restore, which works while none leads", async () => {
    let isDone = false;
    const { api: hubApi, namespace, log } = session;
    const working = leadBefore(
      async () => {
        isDone = true;
      },
      { hubApi, namespace, identity: "restore", log, signal: ending.signal },
    );
    await log.untilLine((line) => line.includes("waits until no other daemon leads"));
    expect(isDone).toBe(false);
    await session.stopDaemon();
    await working;
    expect(isDone).toBe(true);
    await session.startDaemon({ identity: "first", spec: { interval: "9m" } });
    await session.settle();
  });

  it("have the Repository of the one that leads", async () => {
    server = await startGitHttpServer({ root: join(session.repository.path, "..") });
    const cacheDir = `${session.repository.path}.second`;
    release = await lockFolder(cacheDir, realRandom);
    const url = server.urlOf("fleet.git");
    const options = { url, cacheDir, isLocalAllowed: true, clock: realClock, random: realRandom };
    git = await openOrWait(url, () => openGitEngine(options), session.log);
    const target = { namespace: session.namespace, name: "fleet" };
    second = await startDaemon({
      hubApi: session.api,
      git,
      repository: await followRepository(session.api, target, ending.signal),
      settings: {
        name: "fleet",
        spec: { url, defaultWorkspace: session.workspace, workspaces: [session.workspace], interval: "5m" },
      },
      namespace: session.namespace,
      endpoint: session.endpoint,
      agentImage: "rollcall",
      identity: "second",
      log: session.log,
      signal: ending.signal,
    });
    await until(
      () => session.api.get({ type: resourceTypes.lease, namespace: session.namespace, name: "rollcall-repository" }),
      (lease) => textAt(lease, "spec", "holderIdentity") === "first",
    );
    await second.whenIdle();
    expect(await spec("interval")).toBe("9m");
    const follows = `info following a repository ${JSON.stringify({ url, branch: "main" })}`;
    expect(session.log.lines, "on standby").not.toContain(follows);
    const { api: hubApi, namespace } = session;
    const publicPlace = { apiVersion: "v1", kind: "Namespace", metadata: { name: publicNamespace } };
    await hubApi.create(publicPlace, { fieldManager: "test" });
    const replacement = { hubApi, namespace, nowMs: realClock.nowMs(), makeKey: makeTrustKey, isOldRevoked: false };
    const { number } = await replaceTrustKey({ ...replacement, signal: ending.signal });
    await session.stopDaemon();
    await until(
      () => spec("interval"),
      (interval) => interval === "5m",
    );
    await until(
      async () => session.log.lines,
      (lines) => lines.includes(follows),
    );
    // It waited since before the trust key was replaced.
    const info = { type: resourceTypes.configMap, namespace: publicNamespace, name: hubInfoName };
    const announced = async () => readSigned(parseJson(textAt(await hubApi.get(info), "data", "signed") ?? ""));
    const keyNumber = async () => {
      const payload = Buffer.from((await announced())?.payload ?? "", "base64").toString("utf8");
      return numberAt(parseJson(payload), 1, "succession", "number");
    };
    await until(keyNumber, (seen) => seen === number);
  });

  it("report that another process has the folder of the copy, and continue when it ends", async () => {
    await until(ready, (status) => status.includes("E_DIR_LOCKED"));
    await session.repository.commit({ files: { "b.yaml": file("b") } });
    await release();
    second.enqueue();
    await until(
      async () => session.get(resourceTypes.cluster, "b"),
      (cluster) => cluster !== undefined,
    );
    await until(ready, (status) => !status.includes("E_DIR_LOCKED"));
  });
});
