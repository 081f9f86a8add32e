import { expect, it } from "vitest";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { defaultStatusBranch } from "../../../src/reconcile/status-branches.ts";
import { whenAborted } from "../../../src/system/when-aborted.ts";
import { readyHub } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { askToJoin } from "./ask-to-join.ts";
import { openDaemonSession } from "./daemon-session.ts";

type Sent = { readonly verb: string; readonly kind: string; readonly name: string; readonly isAsked: boolean };

/** An API that records each write, and whether each try of it asks first if this process still leads. */
function recordingApi(api: KubeApi, sent: Sent[]): KubeApi {
  const record = (verb: string, { kind, name }: { kind: string; name: string }, options?: { beforeSend?: unknown }) =>
    void sent.push({ verb, kind, name, isAsked: options?.beforeSend !== undefined });
  const refOf = ({ type, name }: ObjectRef) => ({ kind: type.kind, name });
  const partOf = ({ kind, metadata }: Parameters<KubeApi["create"]>[0]) => ({ kind, name: metadata.name });
  return {
    ...api,
    create: (object, options) => (record("create", partOf(object), options), api.create(object, options)),
    update: (object, options) => (record("update", partOf(object), options), api.update(object, options)),
    apply: (object, options) => (record("apply", partOf(object), options), api.apply(object, options)),
    mergePatch: (ref, patch, options) => (record("patch", refOf(ref), options), api.mergePatch(ref, patch, options)),
    delete: (ref, options) => (record("delete", refOf(ref), options), api.delete(ref, options)),
    requestToken: (request) => (
      record("token", { kind: "ServiceAccount", name: request.serviceAccount }, request),
      api.requestToken(request)
    ),
  };
}

const document = (kind: string, name: string, spec: object) =>
  JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind, metadata: { name }, spec });

// A process that stalled writes with what it knew before: each write of a leader has to ask again, at the last moment.
it("asks before each write whether this process still leads, but for its Leases, its Events and the key of the hub", async () => {
  const sent: Sent[] = [];
  const session = await openDaemonSession(await readyHub(), { wrapApi: (api) => recordingApi(api, sent) });
  try {
    await session.repository.commit({
      files: {
        "a.yaml": document("Cluster", "a", {}),
        "t.yaml": document("ClusterRegistrationToken", "t", {}),
        "g.yaml": document("ClusterGroup", "g", { selector: {} }),
      },
    });
    await session.startDaemon({ identity: "one" });
    await session.settle();
    await askToJoin(session, "t", "edge-1");
    await until(
      () => session.get(resourceTypes.cluster, "edge-1"),
      (cluster) => cluster !== undefined,
    );
    await session.repository.commit({ files: { "a.yaml": null } });
    await session.settle();
    await until(
      () => session.get(resourceTypes.cluster, "a"),
      (cluster) => cluster === undefined,
    );
    await session.whenIdle();
    const count = (isAsked: boolean, verb: string, kind: string) =>
      sent.filter((one) => one.isAsked === isAsked && one.verb === verb && one.kind === kind).length;
    expect(count(true, "apply", "Cluster") + count(true, "create", "Cluster")).toBeGreaterThan(0);
    expect(count(true, "patch", "Repository") + count(true, "apply", "Repository")).toBeGreaterThan(0);
    expect(count(true, "delete", "Cluster")).toBeGreaterThan(0);
    const others = sent.filter(({ isAsked }) => !isAsked).map(({ kind, name }) => `${kind}/${name}`);
    expect([...new Set(others)].sort()).toEqual([
      "Event/",
      "Lease/rollcall-hub",
      "Lease/rollcall-repository",
      "Lease/rollcall-watch",
      "Secret/rollcall-trust-key",
    ]);
  } finally {
    await session.close();
  }
});

it("asks before a push whether this process still leads", async () => {
  const pushed: string[] = [];
  const reading = new AbortController();
  const isOver = new AbortController();
  const session = await openDaemonSession(await readyHub(), {
    wrapGit: (git) => ({
      ...git,
      fetchHead: async (branch, signal) => {
        const head = await git.fetchHead(branch, signal);
        if (branch !== defaultStatusBranch) return head;
        reading.abort();
        await whenAborted(isOver.signal);
        return head;
      },
      commitAndPush: (request) => (pushed.push(request.branch), git.commitAndPush(request)),
    }),
  });
  try {
    await session.repository.commit({ files: { "a.yaml": document("Cluster", "a", {}) } });
    await session.startDaemon();
    await whenAborted(reading.signal);
    const stopped = session.stopDaemon();
    isOver.abort();
    await stopped;
    expect(pushed).toEqual([]);
  } finally {
    isOver.abort();
    await session.close();
  }
});
