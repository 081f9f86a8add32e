import { describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import { makeOperations } from "../../../../src/embedded-hub/verbs/make-operations.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { ServedViews } from "../../../../src/embedded-hub/verbs/served-views.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";

/** Ends the sync of a batch, well or with a failure. */
interface Sync {
  readonly end: (failure?: Error) => void;
}

/** Operations over a disk whose syncs the test ends. */
async function slowHub() {
  const syncs: Sync[] = [];
  const append = (): Promise<void> =>
    new Promise((resolve, reject) => {
      syncs.push({ end: (failure) => (failure === undefined ? resolve() : reject(failure)) });
    });
  const store = await openStore({ persistence: { ...noPersistence, append }, log: silentLog });
  const registry = new ResourceRegistry(builtInResources());
  const operations = makeOperations({
    store,
    registry,
    views: new ServedViews(),
    admission: { mutate: ({ object }) => Promise.resolve(object), validate: () => Promise.resolve() },
    clock: createManualClock(),
    random: realRandom,
    turns: createTurns(() => 0),
    answers: new Map(),
  });
  const definition = operations.definitionOf("", "configmaps");
  if (definition === undefined) throw new Error("not served");
  return { operations, store, target: { definition, namespace: "shop", name: "a" }, syncs };
}

type SlowHub = Awaited<ReturnType<typeof slowHub>>;

const context = contextOf(administrator);
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1" } };
const changed = { ...map, data: { a: "2" } };

/** Runs work until only a sync can move it on; true when it has been answered. */
async function isAnswered(work: Promise<unknown>): Promise<boolean> {
  let answered = false;
  const note = (): void => {
    answered = true;
  };
  work.then(note, note);
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
  return answered;
}

interface Case {
  readonly name: string;
  /** The write that is not durable yet. */
  readonly before: (hub: SlowHub) => Promise<unknown>;
  readonly request: (hub: SlowHub) => Promise<unknown>;
}

const update = ({ operations, target }: SlowHub): Promise<unknown> => operations.update(context, target, changed);
const remove = ({ operations, target }: SlowHub): Promise<unknown> => operations.delete(context, target, {});
const create = ({ operations, target }: SlowHub): Promise<unknown> =>
  operations.create(context, { definition: target.definition, namespace: "shop" }, map);

const cases: readonly Case[] = [
  { name: "an equal update", before: update, request: update },
  {
    name: "an equal patch",
    before: update,
    request: ({ operations, target }) =>
      operations.patch(context, target, { kind: "merge", patch: { data: { a: "2" } } }),
  },
  {
    name: "an update of an older version (409)",
    before: update,
    request: ({ operations, target }) =>
      operations.update(context, target, { ...map, metadata: { name: "a", resourceVersion: "1" } }),
  },
  {
    name: "a dry run",
    before: update,
    request: ({ operations, target }) => operations.update({ ...context, isDryRun: true }, target, changed),
  },
  { name: "a second delete (404)", before: remove, request: remove },
  { name: "an update of what is deleted (404)", before: remove, request: update },
  { name: "a create of what exists (409)", before: update, request: create },
];

/** A hub with the object, and a write that waits for its sync. */
async function beginWrite(before: Case["before"]) {
  const hub = await slowHub();
  const created = create(hub);
  await isAnswered(created);
  hub.syncs.shift()?.end();
  await created;
  const first = before(hub);
  await isAnswered(first);
  return { hub, first };
}

describe("a request that sees a write which is not durable", () => {
  it.each(cases)("is answered after that write: $name", async ({ before, request }) => {
    const { hub, first } = await beginWrite(before);
    const second = request(hub);
    expect(await isAnswered(second)).toBe(false);
    hub.syncs.shift()?.end();
    await first;
    expect(await isAnswered(second)).toBe(true);
    await second.catch(() => undefined);
    await hub.store.close();
  });

  it.each(cases)("fails when that write fails: $name", async ({ before, request }) => {
    const { hub, first } = await beginWrite(before);
    const answers = Promise.allSettled([first, request(hub)]);
    await isAnswered(answers);
    hub.syncs.shift()?.end(new Error("EIO"));
    const failed = { status: "rejected", reason: expect.objectContaining({ code: "E_STORE_DAMAGED" }) as unknown };
    expect(await answers).toEqual([failed, failed]);
    await hub.store.close();
  });
});
