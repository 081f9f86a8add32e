import { expect, it } from "vitest";
import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";
import { RowTable } from "../../../../src/web/dashboard/row-table.ts";

it("keeps the line of each cluster, sorted by workspace and name", () => {
  const reasons = new Map<string, string>();
  const table = new RowTable((key) => {
    const [workspace = "", name = ""] = key.split("/");
    const reason = reasons.get(key);
    return reason === undefined ? undefined : ({ workspace, name, reason } as ClusterRow);
  });
  const linesOf = () => table.all().map(({ workspace, name, reason }) => `${workspace}/${name} ${reason}`);
  const update = (key: string, reason: string | undefined): boolean => {
    if (reason === undefined) reasons.delete(key);
    else reasons.set(key, reason);
    return table.update(key);
  };
  expect(["b/a", "a/b", "a/a", "a/10"].map((key) => update(key, "Ready"))).toEqual([true, true, true, true]);
  const sorted = table.all();
  expect(linesOf()).toEqual(["a/10 Ready", "a/a Ready", "a/b Ready", "b/a Ready"]);
  // Nothing changes: the list is the same one.
  expect([update("a/a", "Ready"), update("c/c", undefined)]).toEqual([false, false]);
  expect(table.all()).toBe(sorted);
  expect([update("a/a", "Joining"), update("b/a", undefined)]).toEqual([true, true]);
  expect(linesOf()).toEqual(["a/10 Ready", "a/a Joining", "a/b Ready"]);
  expect([table.get("a/a")?.reason, table.get("b/a")]).toEqual(["Joining", undefined]);
});
