import { describe, expect, it } from "vitest";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { PageQuery } from "../../../../src/embedded-hub/operations/operations.ts";
import { administrator, configMap, contextOf } from "../controllers/hub-world.ts";
import type { MemoryHub } from "./memory-hub.ts";
import { startMemoryHub } from "./memory-hub.ts";

const context = { ...contextOf(administrator), isUntracked: true };

/** A hub at revision 4: a, b and c, of which a was changed last. */
async function startHub(): Promise<MemoryHub> {
  const hub = await startMemoryHub();
  const target = { definition: hub.definitionOf("v1", "ConfigMap"), namespace: "shop" };
  for (const name of ["a", "b", "c"]) await hub.operations.create(context, target, configMap(name));
  await hub.operations.patch(context, { ...target, name: "a" }, { kind: "merge", patch: { data: { a: "1" } } });
  return hub;
}

/** The versions of a page, or the refusal. */
async function read({ operations, definitionOf }: MemoryHub, query: PageQuery): Promise<unknown> {
  try {
    const { items, revision } = await operations.readPage(definitionOf("v1", "ConfigMap"), {
      namespace: "shop",
      ...query,
    });
    return [revision, ...items.map(({ object: { metadata } }) => `${metadata.name}${metadata.resourceVersion}`)];
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    const { code, message, details, metadata } = error.status;
    return { code, message, retry: details?.retryAfterSeconds, continues: metadata?.continue !== undefined };
  }
}

const isA = { name: "a", matches: ({ metadata }: { metadata: { name: string } }) => metadata.name === "a" };
const now = [4, "a4", "b2", "c3"];
const tooLarge = {
  code: 504,
  message: "Timeout: Too large resource version: 5, current: 4",
  retry: 1,
  continues: false,
};

describe("a list of a version", () => {
  it.each<[string, PageQuery, unknown]>([
    ["no version", {}, now],
    ["any version", { resourceVersion: "0" }, now],
    ["not older than one", { resourceVersion: "2" }, now],
    ["not older, in pages", { resourceVersion: "2", limit: 9 }, [2, "a1", "b2"]],
    ["not older, by name, in pages", { resourceVersion: "2", resourceVersionMatch: "NotOlderThan", limit: 9 }, now],
    ["exactly one", { resourceVersion: "3", resourceVersionMatch: "Exact" }, [3, "a1", "b2", "c3"]],
    ["exactly the newest", { resourceVersion: "4", resourceVersionMatch: "Exact" }, now],
    ["one object, not older", { ...isA, resourceVersion: "2", limit: 9 }, [4, "a4"]],
    ["one object, exactly", { ...isA, resourceVersion: "2", resourceVersionMatch: "Exact" }, [2, "a1"]],
    ["exactly one to come", { resourceVersion: "5", resourceVersionMatch: "Exact" }, tooLarge],
    ["one to come, in pages", { resourceVersion: "5", limit: 1 }, tooLarge],
    ["one object to come", { ...isA, resourceVersion: "5", limit: 1 }, { ...tooLarge, retry: undefined }],
    ["a limit of 0", { limit: 0 }, now],
    ["a limit below 0", { limit: -1 }, now],
  ])("shows %s", async (_what, query, page) => {
    expect(await read(await startHub(), query)).toEqual(page);
  });

  it("waits three seconds for one to come", async () => {
    const hub = await startHub();
    const [late, early] = [read(hub, { resourceVersion: "6" }), read(hub, { resourceVersion: "5" })];
    await hub.clock.advance(2_900);
    const target = { definition: hub.definitionOf("v1", "ConfigMap"), namespace: "shop", name: "b" };
    await hub.operations.delete(context, target, {});
    await hub.clock.advance(50);
    expect(await early).toEqual([5, "a4", "c3"]);
    await hub.clock.advance(100);
    expect(await late).toEqual({ ...tooLarge, message: "Timeout: Too large resource version: 6, current: 5" });
  });

  it("continues in the present, and shows that it does, when its version is compacted", async () => {
    const hub = await startHub();
    const definition = hub.definitionOf("v1", "ConfigMap");
    const first = await hub.operations.readPage(definition, { namespace: "shop", limit: 1 });
    expect(first).toMatchObject({ revision: 4, remainingCount: 2 });
    const second = await hub.operations.readPage(definition, {
      ...{ namespace: "shop", limit: 1 },
      continueToken: first.continueToken ?? "",
    });
    expect([second.remainingCount, second.items[0]?.object.metadata.name]).toEqual([1, "b"]);
    await hub.operations.delete(context, { definition, namespace: "shop", name: "c" }, {});
    await hub.operations.create(context, { definition, namespace: "shop" }, configMap("d"));
    await hub.store.compact(6);
    const query = { namespace: "shop", continueToken: second.continueToken ?? "" };
    let token: unknown;
    await hub.operations.readPage(definition, query).catch((error: unknown) => {
      if (!isApiFailure(error)) throw error;
      expect([error.status.code, error.status.reason]).toEqual([410, "Expired"]);
      token = error.status.metadata?.continue;
    });
    expect(await read(hub, { continueToken: String(token) })).toEqual([6, "d6"]);
    const compacted = { resourceVersion: "3", resourceVersionMatch: "Exact" };
    const message = "The resourceVersion for the provided list is too old.";
    expect(await read(hub, compacted)).toEqual({ code: 410, message, retry: undefined, continues: false });
  });
});

it("the first state of a watch is the newest one, whole or of a selection", async () => {
  const { operations, definitionOf } = await startHub();
  const definition = definitionOf("v1", "ConfigMap");
  const namesOf = async (selection: PageQuery) =>
    (await operations.currentState(definition, selection)).items.map(({ object }) => object.metadata.name);
  expect(await namesOf({})).toEqual(["a", "b", "c"]);
  expect(await namesOf(isA)).toEqual(["a"]);
  expect(await namesOf({ ...isA, mayMatch: () => false })).toEqual([]);
});
