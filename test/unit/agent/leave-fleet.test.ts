import { describe, expect, it } from "vitest";
import type { AgentContext } from "../../../src/agent/agent-context.ts";
import { createAgentState } from "../../../src/agent/agent-state.ts";
import { leaveFleet } from "../../../src/agent/leave-fleet.ts";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { ObjectRef } from "../../../src/model/kubernetes.ts";

interface Given {
  readonly isNamespaceOurs?: boolean;
  /** The label of a namespace of others. */
  readonly managedBy?: string;
  /** By `verb Kind`. */
  readonly refuse?: Readonly<Record<string, AppError>>;
  /** How often it is refused. Default: always. */
  readonly times?: number;
}

/** What was asked of the cluster, and what was reported to the hub. */
async function leave({ isNamespaceOurs = false, managedBy, refuse = {}, times = Infinity }: Given = {}) {
  const asked: string[] = [];
  const reports: unknown[] = [];
  const ask = (verb: string, { type }: ObjectRef): Promise<void> => {
    const request = `${verb} ${type.kind}`;
    asked.push(request);
    const error = refuse[request];
    const count = asked.filter((one) => one === request).length;
    return error === undefined || count > times ? Promise.resolve() : Promise.reject(error);
  };
  const manager = isNamespaceOurs ? "rollcall" : managedBy;
  const labels = manager === undefined ? {} : { "app.kubernetes.io/managed-by": manager };
  const downstreamApi = {
    get: ({ type, name }: ObjectRef) =>
      Promise.resolve({ apiVersion: "v1", kind: type.kind, metadata: { name, uid: `uid-${name}`, labels } }),
    mergePatch: (ref: ObjectRef) => ask("own", ref),
    delete: (ref: ObjectRef) => ask("delete", ref),
  };
  const link = {
    call: (work: (api: object) => Promise<unknown>) =>
      work({
        mergePatch: (_ref: unknown, { spec }: { spec: { leave: unknown } }) =>
          Promise.resolve(reports.push(spec.leave)),
      }),
  };
  const context = {
    downstreamApi,
    link,
    log: silentLog,
    state: createAgentState(),
    settings: { namespace: "agents" },
    secrets: { identity: { workspace: "fleet", membership: { clusterName: "eu-1", credential: { number: 1 } } } },
    clock: { nowMs: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve() },
    random: { next: () => 0 },
  };
  await leaveFleet(context as unknown as AgentContext, "abc", new AbortController().signal);
  return { asked, reports, isLeaving: context.state.isLeaving };
}

const forbidden = (what: string) => new AppError("E_KUBE_FORBIDDEN", what);

describe("leaveFleet", () => {
  it("deletes a namespace of its own, which owns the cluster-wide rights", async () => {
    const { asked, reports, isLeaving } = await leave({ isNamespaceOurs: true });
    const expected = ["delete Secret", "own ClusterRoleBinding", "own ClusterRole", "delete Namespace"];
    expect(asked).toEqual(expected);
    expect(reports).toEqual([{ commit: "abc", done: true }]);
    expect(isLeaving).toBe(true);
  });

  it.each([undefined, "Helm", "argocd", "rollcall-operator"])(
    "leaves a namespace of others (%s), and deletes what is in it: its rights last",
    async (managedBy) => {
      const { asked } = await leave(managedBy === undefined ? {} : { managedBy });
      expect(asked).not.toContain("delete Namespace");
      expect(asked.slice(0, 3)).toEqual(["delete Secret", "delete Deployment", "delete Lease"]);
      expect(asked.at(-1)).toBe("delete RoleBinding");
    },
  );

  it.each([
    { reason: "forbidden", error: forbidden("patch"), isDeleted: true },
    { reason: "not there", error: new AppError("E_KUBE_NOT_FOUND", "patch"), isDeleted: false },
  ])("deletes dependents itself when the patch of one is $reason: $isDeleted", async ({ error, isDeleted }) => {
    const { asked } = await leave({ isNamespaceOurs: true, refuse: { "own ClusterRole": error } });
    expect(asked.includes("delete ClusterRole")).toBe(isDeleted);
  });

  it("reports what it could not delete, and nothing that was deleted before", async () => {
    const refuse = {
      "delete Lease": new AppError("E_KUBE_NOT_FOUND", "delete"),
      "delete Deployment": forbidden("delete"),
    };
    const { reports } = await leave({ refuse });
    expect(JSON.stringify(reports)).toContain("Left downstream: Deployment");
    expect(JSON.stringify(reports)).not.toContain("Lease");
  });

  it.each([
    { code: "E_KUBE_UNREACHABLE", times: 3, deletions: 4, isLeft: false },
    { code: "E_KUBE_SERVER", times: 3, deletions: 4, isLeft: false },
    { code: "E_KUBE_UNREACHABLE", times: Infinity, deletions: 7, isLeft: true },
    { code: "E_KUBE_FORBIDDEN", times: 3, deletions: 1, isLeft: true },
  ] as const)(
    "an API server that answers $code $times times: it gets $deletions deletions, and the object is left: $isLeft",
    async ({ code, times, deletions, isLeft }) => {
      const { asked, reports } = await leave({ refuse: { "delete Deployment": new AppError(code, "delete") }, times });
      expect(asked.filter((one) => one === "delete Deployment")).toHaveLength(deletions);
      expect(JSON.stringify(reports).includes("Left downstream: Deployment")).toBe(isLeft);
    },
  );
});
