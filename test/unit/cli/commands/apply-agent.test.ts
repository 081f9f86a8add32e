import { describe, expect, it } from "vitest";
import { applyAgent } from "../../../../src/cli/commands/apply-agent.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { KubeApi } from "../../../../src/kube/kube.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

const { signal } = new AbortController();
const namespaceWith = (labels: Record<string, string>, uid?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "agents", labels, ...(uid === undefined ? {} : { uid }) },
});
const ours = { "app.kubernetes.io/managed-by": "rollcall" };
const wanted = namespaceWith(ours);
const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "agent", namespace: "agents" } };

/** A cluster that has this namespace, and gets that one right after it was read for the first time. */
function clusterWith(found: KubeObject | undefined, appears?: KubeObject) {
  const applied: KubeObject[] = [];
  let live = found;
  const api: Partial<KubeApi> = {
    get: async () => {
      const seen = live;
      live = appears ?? live;
      return seen;
    },
    apply: async (object) => {
      const { uid, resourceVersion } = object.metadata;
      const isOther = uid !== undefined && uid !== live?.metadata.uid;
      const isNoneExpected = resourceVersion === "1" && live !== undefined;
      if (object.kind === "Namespace" && (isOther || isNoneExpected)) throw new AppError("E_KUBE_CONFLICT", "apply");
      applied.push(object);
      return object;
    },
  };
  return { applied, api: api as KubeApi };
}

describe("applyAgent", () => {
  it.each([
    { what: "makes the namespace", found: undefined },
    { what: "changes the one that it made", found: namespaceWith(ours, "u1") },
  ])("$what, and what is in it", async ({ found }) => {
    const { api, applied } = clusterWith(found);
    await applyAgent(api, [wanted, account], signal);
    expect(applied.map(({ kind }) => kind)).toEqual(["Namespace", "ServiceAccount"]);
    expect(applied[1]).toBe(account);
  });

  it("A277 takes over no namespace that another team makes after it was found that there is none", async () => {
    const { api, applied } = clusterWith(undefined, namespaceWith({ team: "a" }, "u2"));
    await expect(applyAgent(api, [wanted, account], signal)).rejects.toMatchObject({ code: "E_USAGE" });
    expect(applied).toEqual([]);
  });

  it("continues where another process of ours makes it in the same moment", async () => {
    const { api, applied } = clusterWith(undefined, namespaceWith(ours, "u3"));
    await applyAgent(api, [wanted, account], signal);
    expect(applied.map(({ metadata }) => metadata.uid)).toEqual(["u3", undefined]);
  });
});
