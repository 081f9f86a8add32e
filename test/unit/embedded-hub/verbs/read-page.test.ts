import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSelection } from "../../../../src/embedded-hub/http/selection.ts";
import type { ListPage } from "../../../../src/embedded-hub/operations/operations.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { decodeContinue } from "../../../../src/embedded-hub/verbs/continue-token.ts";
import type { MeasuredHub } from "../cost/request-cost.ts";
import { startMeasuredHub } from "../cost/request-cost.ts";

let hub: MeasuredHub;
let definition: ResourceDefinition;
beforeAll(async () => {
  hub = await startMeasuredHub();
  const found = hub.operations.definitionOf("", "configmaps");
  if (found === undefined) throw new Error("configmaps are not served");
  definition = found;
  for (let index = 0; index < 2500; index += 1) await store(`c-${String(index).padStart(4, "0")}`);
});
afterAll(() => hub.stop());

async function store(name: string): Promise<void> {
  const labels = { part: Number(name.slice(2)) % 5 === 0 ? "fifth" : "other" };
  await hub.store(definition, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", labels } });
}

/** All pages, with a new object between each two of them. */
async function readPages(limit: number, matches?: (labels: Readonly<Record<string, string>>) => boolean) {
  const pages: ListPage[] = [];
  const selection = matches === undefined ? {} : { matches: matchLabels(matches) };
  for (let token: string | undefined = ""; token !== undefined; token = pages.at(-1)?.continueToken) {
    pages.push(
      await hub.operations.readPage(definition, { namespace: "shop", limit, continueToken: token, ...selection }),
    );
    await store(`c-1000-${limit}-${pages.length}`);
  }
  return pages;
}

type Matches = NonNullable<Parameters<MeasuredHub["operations"]["readPage"]>[1]["matches"]>;

function matchLabels(matches: (labels: Readonly<Record<string, string>>) => boolean): Matches {
  return ({ metadata }) => matches(metadata.labels ?? {});
}

describe("pages of a list that changes meanwhile", () => {
  it("show the first moment, and know from page to page how many remain without counting them", async () => {
    const pages = await readPages(1000);
    expect(pages.map(({ items, remainingCount }) => [items.length, remainingCount])).toEqual([
      [1000, 1500],
      [1000, 500],
      [500, undefined],
    ]);
    expect(new Set(pages.map(({ revision }) => revision)).size).toBe(1);
    const names = pages.flatMap(({ items }) => items.map(({ object }) => object.metadata.name));
    expect([new Set(names).size, names.filter((name) => name.startsWith("c-1000-"))]).toEqual([2500, []]);
    expect(decodeContinue(pages[1]?.continueToken ?? "").remainingCount).toBe(500);
  });

  it("show the first moment of a selection", async () => {
    const pages = await readPages(200, ({ part }) => part === "fifth");
    expect(pages.map(({ items }) => items.length)).toEqual([200, 200, 100]);
    expect(new Set(pages.map(({ revision }) => revision)).size).toBe(1);
  });

  it("parse no object whose text shows that it does not match", async () => {
    const { mayMatch, matches } = readSelection(new URLSearchParams({ labelSelector: "part=fifth" }), { definition });
    const seen: string[] = [];
    const { items } = await hub.operations.readPage(definition, {
      mayMatch,
      matches: (object) => {
        seen.push(object.metadata.name);
        return matches?.(object) ?? true;
      },
    });
    expect(items.length).toBeGreaterThan(400);
    expect(seen).toEqual(items.map(({ object }) => object.metadata.name));
  });
});
