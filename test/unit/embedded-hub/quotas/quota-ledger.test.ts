import { describe, expect, it } from "vitest";
import { notFound } from "../../../../src/embedded-hub/failures/failures.ts";
import type { AdmissionRequest } from "../../../../src/embedded-hub/operations/admission.ts";
import type { Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import type { Turns } from "../../../../src/embedded-hub/operations/turns.ts";
import { QuotaLedger } from "../../../../src/embedded-hub/quotas/quota-ledger.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const definitions = builtInResources();
const definitionOf = (_group: string, name: string) => definitions.find(({ plural }) => plural === name);

type Texts = Readonly<Record<string, string>>;

function quotaOf(name: string, hard: Texts, used: Texts): KubeObject {
  const metadata = { name, namespace: "shop" };
  return { apiVersion: "v1", kind: "ResourceQuota", metadata, spec: { hard }, status: { hard, used } };
}

/** A ledger over quotas that stay as they are; what it writes, and of which quotas it reports that they count too much. */
function ledgerOver(quotas: readonly KubeObject[], patch = (): Promise<unknown> => Promise.resolve()) {
  const writes: unknown[] = [];
  const stale: unknown[] = [];
  const operations = {
    definitionOf,
    list: () => ({ items: quotas }),
    patch: (_context: unknown, { name, subresource }: Texts, body: unknown) => {
      writes.push([`${name}/${subresource}`, body]);
      return patch();
    },
  } as unknown as Operations;
  const turns = { enter: () => Promise.resolve() } as unknown as Turns;
  const ledger = new QuotaLedger({ operations: () => operations, clock: createManualClock(), turns });
  ledger.onStale((namespace, names) => stale.push([namespace, names]));
  return { ledger, writes, stale };
}

function write(plural: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const definition = definitionOf("", plural);
  if (definition === undefined) throw new Error(`${plural} are not served`);
  const object = { apiVersion: "v1", kind: "A", metadata: { name: "a", namespace: "shop" } };
  const common = { isDryRun: false, options: {}, warnings: [], user: { username: "a", groups: [] }, name: "a" };
  return { ...common, operation: "CREATE", definition, namespace: "shop", object, ...more };
}

function amounts(many: number): Texts {
  return Object.fromEntries(Array.from({ length: many }, (_, index) => [`requests.example.org/r${index}`, "1"]));
}

describe("a ledger of quotas", () => {
  it("charges a write to each quota that counts it, and writes only the amounts that change", async () => {
    const counting = quotaOf("one", { configmaps: "5", secrets: "1" }, { configmaps: "1", secrets: "1" });
    const other = quotaOf("two", { pods: "1" }, { pods: "0" });
    const { ledger, writes, stale } = ledgerOver([counting, other]);
    const request = write("configmaps");
    const settle = await ledger.charge(request);
    expect(writes).toEqual([["one/status", { kind: "merge", patch: { status: { used: { configmaps: "2" } } } }]]);
    const charged = { kind: "/configmaps", object: request.object, quotas: ["one"] };
    expect([ledger.underWay("shop"), ledger.underWay("other")]).toEqual([[charged], []]);
    settle?.(true);
    expect([ledger.underWay("shop"), stale]).toEqual([[], []]);
  });

  it("reports a charge for what was not stored, and forgets only that one", async () => {
    const { ledger, stale } = ledgerOver([quotaOf("one", { configmaps: "5" }, { configmaps: "1" })]);
    const [first, second] = await Promise.all([ledger.charge(write("configmaps")), ledger.charge(write("configmaps"))]);
    expect(ledger.underWay("shop")).toHaveLength(2);
    first?.(false);
    expect([ledger.underWay("shop").length, stale]).toEqual([1, [["shop", ["one"]]]]);
    second?.(true);
    expect(ledger.underWay("shop")).toEqual([]);
  });

  it("counts writes that wait together before each is decided, and writes once for all", async () => {
    const { ledger, writes } = ledgerOver([quotaOf("one", { configmaps: "3" }, { configmaps: "1" })]);
    const all = Array.from({ length: 4 }, async () => ledger.charge(write("configmaps")));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(writes).toEqual([["one/status", { kind: "merge", patch: { status: { used: { configmaps: "3" } } } }]]);
  });

  it("charges no dry run, and refuses one that has no room", async () => {
    const { ledger, writes } = ledgerOver([
      quotaOf("one", { configmaps: "2", secrets: "0" }, { configmaps: "1", secrets: "0" }),
    ]);
    expect(await ledger.charge(write("configmaps", { isDryRun: true }))).toBeUndefined();
    await expect(ledger.charge(write("secrets", { isDryRun: true }))).rejects.toThrow("exceeded quota: one");
    expect([writes, ledger.underWay("shop")]).toEqual([[], []]);
  });

  it("lets a write pass that no quota counts, without a turn", () => {
    const { ledger } = ledgerOver([quotaOf("one", { configmaps: "0" }, { configmaps: "0" })]);
    const { namespace: _, object, ...clusterWide } = write("configmaps");
    expect(ledger.charge({ ...clusterWide, ...(object === undefined ? {} : { object }) })).toBeUndefined();
    expect(ledger.charge(write("secrets"))).toBeUndefined();
    expect(ledger.charge(write("configmaps", { operation: "UPDATE" }))).toBeUndefined();
    const { object: __, ...deletion } = write("configmaps", { operation: "DELETE" });
    expect(ledger.charge(deletion)).toBeUndefined();
  });

  it("lets a write pass whose quota is deleted meanwhile", async () => {
    const missing = notFound({ group: "", plural: "resourcequotas", name: "one" });
    const { ledger } = ledgerOver([quotaOf("one", { configmaps: "5" }, { configmaps: "1" })], () =>
      Promise.reject(missing),
    );
    expect(await ledger.charge(write("configmaps"))).toBeTypeOf("function");
  });

  it("A99 does one thing after the other in a namespace, whatever becomes of each", async () => {
    const { ledger } = ledgerOver([]);
    const done: string[] = [];
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const first = ledger.alone("shop", async () => {
      await opened;
      done.push("first");
      throw new Error("first failed");
    });
    const second = ledger.alone("shop", () => Promise.resolve(done.push("second")));
    await ledger.alone("other", () => Promise.resolve(done.push("other")));
    open();
    await expect(first).rejects.toThrow("first failed");
    await second;
    expect(done).toEqual(["other", "first", "second"]);
  });

  it.each<readonly [string, Partial<AdmissionRequest>, string | undefined]>([
    ["200 amounts", { object: quotaOf("a", amounts(200), {}) }, undefined],
    ["201 amounts", { object: quotaOf("a", amounts(201), {}) }, "at most 200 amounts"],
    ["201 amounts later on", { operation: "UPDATE", object: quotaOf("a", amounts(201), {}) }, "at most 200 amounts"],
    ["201 amounts in its status", { object: { ...quotaOf("a", amounts(201), {}), spec: {} } }, "at most 200 amounts"],
  ])("A99 takes a quota with %s, or refuses it", (_what, more, refusal) => {
    const charge = () => ledgerOver([]).ledger.charge(write("resourcequotas", more));
    if (refusal === undefined) expect(charge()).toBeUndefined();
    else expect(charge).toThrow(refusal);
  });

  it("takes a Secret as large as it is: the bounds are those of quotas", () => {
    expect(ledgerOver([]).ledger.charge(write("secrets", { object: quotaOf("a", amounts(201), {}) }))).toBeUndefined();
  });
});
