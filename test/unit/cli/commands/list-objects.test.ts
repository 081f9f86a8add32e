import { describe, expect, it } from "vitest";
import { explainRefusal, findCluster, listObjects, queryOf } from "../../../../src/cli/commands/list-objects.ts";
import { AppError } from "../../../../src/core/errors.ts";
import type { ListOptions } from "../../../../src/kube/kube.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";

const { signal } = new AbortController();
const contextOf = (given: Readonly<Record<string, string>> = {}) => ({
  settings: readSettings("get", { given, environment: {} }),
  signal,
});
const forbidden = new AppError("E_KUBE_FORBIDDEN", "list clusters: no right to do so");

/** A hub on which this user may list in `fleet` alone, and what it was asked for. */
function hubOf() {
  const asked: ListOptions[] = [];
  const list = (_type: unknown, options: ListOptions = {}) => {
    asked.push(options);
    if (options.namespace !== "fleet") return Promise.reject(forbidden);
    const metadata = { namespace: "fleet", name: "c1" };
    return Promise.resolve({ items: [{ apiVersion: "a/v1", kind: "Cluster", metadata }], resourceVersion: "1" });
  };
  return { asked, list };
}

describe("queryOf", () => {
  it.each([
    [[], undefined],
    [["c1"], undefined],
    [["fleet/c1"], "fleet"],
    [["fleet/c1", "fleet/c2"], "fleet"],
    [["fleet/c1", "lab/c1"], undefined],
    [["fleet/c1", "c2"], undefined],
    [["a/b/c"], undefined],
  ])("of the names %j reads the workspace %s", (names, namespace) => {
    expect(queryOf(contextOf(), names)).toEqual(namespace === undefined ? { signal } : { signal, namespace });
  });

  it("prefers --workspace, and takes --selector", () => {
    const given = { workspace: "lab", selector: "env=prod" };
    expect(queryOf(contextOf(given), ["fleet/c1"])).toEqual({ signal, namespace: "lab", labelSelector: "env=prod" });
  });
});

describe("a user who may list in one workspace alone", () => {
  it("gets what is in it", async () => {
    const hub = hubOf();
    expect(await listObjects(hub, resourceTypes.cluster, { namespace: "fleet", signal })).toHaveLength(1);
    expect(hub.asked).toEqual([{ namespace: "fleet", signal }]);
  });

  it.each([
    ["fleet/c1", undefined],
    ["c1", "fleet"],
  ])("finds %s in workspace %s", async (wanted, workspace) => {
    const context = contextOf(workspace === undefined ? {} : { workspace });
    expect(await findCluster(hubOf(), context, wanted)).toMatchObject({ metadata: { namespace: "fleet", name: "c1" } });
  });

  it("learns to name a workspace where none is named", async () => {
    await expect(findCluster(hubOf(), contextOf(), "c1")).rejects.toMatchObject({
      code: "E_KUBE_FORBIDDEN",
      message: forbidden.message,
      remedy: expect.stringContaining("--workspace NAME, or WORKSPACE/NAME") as string,
    });
  });

  it("gets other errors, and those of a workspace, as they are", async () => {
    await expect(explainRefusal({ signal, namespace: "lab" }, () => Promise.reject(forbidden))).rejects.toBe(forbidden);
    const lost = new AppError("E_KUBE_UNREACHABLE", "list clusters: no answer");
    await expect(explainRefusal({ signal }, () => Promise.reject(lost))).rejects.toBe(lost);
  });
});
