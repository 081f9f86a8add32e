import { expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import { leaseNames } from "../../../src/daemon/leadership.ts";
import { followRepository } from "../../../src/daemon/wire-repository.ts";
import { startDaemon } from "../../../src/daemon/wire-run.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { openLocalEngine } from "../../support/local-engine.ts";
import { until } from "../../support/until.ts";
import { askToJoin } from "./ask-to-join.ts";
import { openDaemonSession } from "./daemon-session.ts";

/** As the API server, but this process never leads the hub. */
function withoutHubLease(api: KubeApi): KubeApi {
  const refuse = ({ metadata, kind }: KubeObject): void => {
    if (kind !== "Lease" || metadata.name !== leaseNames.hub) return;
    throw new AppError("E_KUBE_CONFLICT", "another process leads the hub", { recovery: "transient" });
  };
  return {
    ...api,
    create: async (object, ...rest) => {
      refuse(object);
      return api.create(object, ...rest);
    },
  };
}

const token = `apiVersion: rollcall.dev/v1alpha1
kind: ClusterRegistrationToken
metadata: {name: token}
spec: {approval: PullRequest}
`;

it("a request to join becomes a pull request at once, also where another replica leads the hub", async () => {
  const session = await openDaemonSession(await readyHub(), { wrapApi: withoutHubLease });
  const ending = new AbortController();
  try {
    const { api: hubApi, namespace, endpoint, repository, workspace } = session;
    await repository.commit({ files: { "token.yaml": token } });
    const first = await session.startDaemon({ identity: "first", spec: { interval: "1h" } });
    await until(
      async () => first.leads().get(leaseNames.repository),
      (leads) => leads === true,
    );
    const git = await openLocalEngine(repository.path, `${repository.path}.second`);
    const source = await followRepository(hubApi, { namespace, name: "fleet" }, ending.signal);
    const parts = { hubApi, git, repository: source, namespace, endpoint, agentImage: "rollcall", log: silentLog };
    const second = await startDaemon({ ...parts, identity: "second", signal: ending.signal });
    try {
      await until(
        async () => second.leads().get(leaseNames.hub),
        (leads) => leads === true,
      );
      await askToJoin(session, "token", "edge-1");
      const branch = `rollcall/join/${workspace}/token`;
      await until(
        () => repository.head(branch),
        (head) => head !== undefined,
      );
      expect([first.leads().get(leaseNames.hub), second.leads().get(leaseNames.repository)]).toEqual([false, false]);
    } finally {
      await second.stop();
      await git.close();
    }
  } finally {
    ending.abort();
    await session.close();
  }
});
