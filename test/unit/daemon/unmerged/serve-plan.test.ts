import { describe, expect, it } from "vitest";
import { pieceSize } from "../../../../src/daemon/unmerged/plan-calls.ts";
import type { PlanService } from "../../../../src/daemon/unmerged/serve-plan.ts";
import { servePlan } from "../../../../src/daemon/unmerged/serve-plan.ts";
import type { ResourceType } from "../../../../src/model/kubernetes.ts";
import { resourceTypes } from "../../../../src/model/resource-types.ts";
import type { MergeInputs, PlannedMerge } from "../../../../src/review/plan-merge.ts";

const gitCalls = ["readCommit", "readSignature", "isAncestor", "listCommits", "listFiles", "changedPaths", "readBlob"];
const clusters = Array.from({ length: pieceSize + 1 }, (_, index) => ({ metadata: { name: `c${index}` } }));

/** The service of a plan whose inputs answer with what they were asked; what was settled. */
function serve(inputs: object = {}, source: object = {}) {
  const settled: { merge?: PlannedMerge; error?: Error } = {};
  let lists = 0;
  const git = Object.fromEntries(gitCalls.map((name) => [name, (...args: unknown[]) => [name, ...args]]));
  const parsed = new Map(["b", "both"].map((path) => [path, { path, blobId: `parsed ${path}` }]));
  const main = {
    files: new Map(["a", "both"].map((path) => [path, { path, blobId: `file ${path}` }])),
    parsed,
    lastGood: new Map([["good", { path: "good", blobId: "good" }]]),
  };
  const observed = {
    list: (type: ResourceType) => {
      lists += 1;
      return type === resourceTypes.cluster ? clusters : [];
    },
    isWorkspace: (name: string) => name === "fleet",
  };
  const rememberedLabels = (workspace: string, name: string) => ({ agent: { [workspace]: name } });
  const all = { git, main, observed, rememberedLabels, source, ...inputs } as unknown as MergeInputs;
  const service = servePlan(all, {
    resolve: (merge) => void (settled.merge = merge),
    reject: (error) => void (settled.error = error),
  });
  return { call: (name: string, ...args: unknown[]) => callOf(service, name)(...args), settled, lists: () => lists };
}

function callOf(service: PlanService, name: string): (...args: unknown[]) => unknown {
  const serviceCall = service[name] as ((...args: unknown[]) => unknown) | undefined;
  if (serviceCall === undefined) throw new Error(`no call ${name}`);
  return serviceCall;
}

describe("the main thread, for a plan in a thread", () => {
  it.each(gitCalls)("reads the repository for %s, with what it is given", (name) => {
    const args = name === "readCommit" || name === "readSignature" || name === "listCommits" ? ["1"] : ["1", "2"];
    expect(serve().call(name, ...args)).toEqual(name === "changedPaths" ? [name, ...args, undefined] : [name, ...args]);
  });

  it("reads nothing but these of the repository", () => {
    expect(() => serve().call("commitAndPush")).toThrow("no call");
  });

  it("gives each file of the main branch once, as file, as parsed, and as it was last without errors", () => {
    expect(serve().call("mainFiles", 0)).toEqual([
      ["a", { path: "a", blobId: "file a" }, undefined, undefined],
      ["both", { path: "both", blobId: "file both" }, { path: "both", blobId: "parsed both" }, undefined],
      ["b", undefined, { path: "b", blobId: "parsed b" }, undefined],
      ["good", undefined, undefined, { path: "good", blobId: "good" }],
    ]);
    expect(serve().call("mainFiles", 3)).toHaveLength(1);
    expect(serve().call("mainFiles", 4)).toEqual([]);
  });

  it("lists the hub in pieces of one moment, by a type that was sent to the thread and back", () => {
    const { call, lists } = serve();
    const sent = structuredClone({ ...resourceTypes.cluster });
    expect(call("list", 0, sent)).toEqual(clusters.slice(0, pieceSize));
    expect(call("list", pieceSize, sent)).toEqual(clusters.slice(pieceSize));
    expect(lists()).toBe(1);
    expect(call("list", 0, { group: "example.com", version: "v1", plural: "clusters", kind: "Cluster" })).toEqual([]);
  });

  it("answers what it knows of namespaces and labels", () => {
    const { call } = serve();
    expect([call("isWorkspace", "fleet"), call("isWorkspace", "other")]).toEqual([true, false]);
    expect(call("rememberedLabels", "fleet", "a")).toEqual({ agent: { fleet: "a" } });
  });

  it("asks for signatures and policies only what the Repository asks for", async () => {
    const without = serve();
    expect(without.call("isSigned", "1", "2")).toBe(true);
    expect(without.call("isVouched", "1", "a")).toBe(true);
    expect(without.call("evaluate", { head: "1" })).toBeUndefined();
    const isSigned = (...args: string[]) => args.join();
    const { call } = serve({ isSigned, evaluate: (range: object) => [range] }, { isVouched: isSigned });
    expect(call("isSigned", "1", "2")).toBe("1,2");
    expect(call("isVouched", "1", "a")).toBe("1,a");
    expect(call("evaluate", { head: "1" })).toEqual([{ head: "1" }]);
  });

  it("decrypts with the keys that were opened, and nothing before", async () => {
    const { call } = serve({ openKeys: async () => (file: unknown) => ["decrypted", file] });
    expect(call("decrypt", "f")).toBeUndefined();
    await call("openKeys");
    expect(call("decrypt", "f")).toEqual(["decrypted", "f"]);
    const without = serve();
    await without.call("openKeys");
    expect(without.call("decrypt", "f")).toBeUndefined();
  });

  it("puts the plan together from its pieces, with types that can be compared", () => {
    const { call, settled } = serve();
    const ref = structuredClone({ type: { ...resourceTypes.cluster }, name: "a" });
    call("field", "plan", "commit", "1");
    call("items", "plan", "changes", [{ kind: "create", ref }, "text", null]);
    call("items", "plan", "changes", [{ kind: "update" }]);
    call("items", "fleet", "clusters", []);
    call("done", { conflicts: ["x"] });
    expect(settled.merge).toEqual({
      plan: {
        commit: "1",
        changes: [{ kind: "create", ref: { ...ref, type: resourceTypes.cluster } }, "text", null, { kind: "update" }],
      },
      fleet: { clusters: [] },
      conflicts: ["x"],
    });
    const [first] = settled.merge?.plan.changes ?? [];
    expect(first?.ref.type).toBe(resourceTypes.cluster);
  });

  it("rejects with the error that the thread sent", () => {
    const { call, settled } = serve();
    call("failed", { message: "m", code: "E_GIT_OBJECT" });
    expect(settled.error).toMatchObject({ code: "E_GIT_OBJECT", message: "m" });
  });
});
