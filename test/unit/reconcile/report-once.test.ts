import { describe, expect, it } from "vitest";
import { ReportOnce } from "../../../src/reconcile/report-once.ts";

function open() {
  const reports = new ReportOnce();
  const calls: string[] = [];
  const once = (key: string, text: string, failure?: Error): Promise<void> =>
    reports.report(key, text, () => {
      calls.push(`${key} ${text}`);
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    });
  return { once, calls };
}

describe("ReportOnce", () => {
  it("reports each text of a key once, until it is another one", async () => {
    const { once, calls } = open();
    await once("a", "a");
    await once("a", "a");
    await once("b", "a");
    await once("a", "b");
    await once("a", "a");
    expect(calls).toEqual(["a a", "b a", "a b", "a a"]);
  });

  it("reports again what failed", async () => {
    const { once, calls } = open();
    await expect(once("a", "a", new Error("no answer"))).rejects.toThrow("no answer");
    await once("a", "a");
    expect(calls).toEqual(["a a", "a a"]);
  });

  it("reports the former text again when a later one took effect and its answer was lost", async () => {
    const { once, calls } = open();
    await once("a", "former");
    await expect(once("a", "later", new Error("no answer"))).rejects.toThrow("no answer");
    await once("a", "former");
    expect(calls).toEqual(["a former", "a later", "a former"]);
  });

  it("remembers the last thousand keys and no more", async () => {
    const { once, calls } = open();
    for (let key = 0; key <= 1000; key++) await once(`${key}`, "x");
    await once("1000", "x");
    expect(calls).toHaveLength(1001);
    await once("0", "x");
    expect(calls).toHaveLength(1002);
  });
});
