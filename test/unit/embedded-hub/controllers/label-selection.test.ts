import { expect, it } from "vitest";
import { silentLog } from "../../../../src/core/log.ts";
import type { WorkQueue } from "../../../../src/core/work-queue.ts";
import type { ControllerScope } from "../../../../src/embedded-hub/controllers/controller-scope.ts";
import { followLabelSelection } from "../../../../src/embedded-hub/controllers/label-selection.ts";
import type { FeedEvent, FeedListener } from "../../../../src/embedded-hub/controllers/object-feed.ts";
import { requirementsOf } from "../../../../src/embedded-hub/selectors/object-selector.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { realClock, realRandom } from "../../../support/real-time.ts";
import { countingTurns, turnsDuring } from "../../../support/turns-during.ts";

const budgets = { group: "policy", plural: "poddisruptionbudgets" };
const pods = { group: "", plural: "pods" };
type Labels = Readonly<Record<string, string>>;

function pod(name: string, labels: Labels): KubeObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "shop", labels } };
}

function budget(name: string, selector: object): KubeObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "shop" },
    ["selector"]: selector,
  };
}

/** A selection without a hub: events by hand, and Pods that are listed. */
function world(listed: readonly KubeObject[] = []) {
  const listeners = new Map<string, FeedListener>();
  const queues: WorkQueue[] = [];
  const looked: string[] = [];
  const scope = {
    feed: { on: (_group: string, plural: string, listener: FeedListener) => listeners.set(plural, listener) },
    ...{ clock: realClock, random: realRandom, log: silentLog, queues },
    turns: countingTurns(),
  } as unknown as ControllerScope;
  const selection = followLabelSelection({
    scope,
    writer: { list: () => listed },
    ...{ selecting: budgets, selected: pods },
    requirementsOf: (object) => requirementsOf(object["selector"]),
    enqueue: (key) => looked.push(key),
  });
  const tell = (plural: string, object: KubeObject, more: Partial<FeedEvent> = {}) =>
    listeners.get(plural)?.({
      group: "",
      plural,
      kind: "added",
      isFirst: false,
      ...{ object, previous: undefined },
      mentions: () => true,
      ...more,
    });
  const settle = async () => {
    await Promise.all(queues.map((queue) => queue.whenIdle()));
    return looked.splice(0).sort();
  };
  return { selection, tell, settle };
}

it("checks what selects a Pod, by every operator of a selector", async () => {
  const { tell, settle } = world();
  const expression = (operator: string, values?: string[]) => ({
    matchExpressions: [{ key: "app", operator, values }],
  });
  for (const [name, selector] of Object.entries({
    all: {},
    equal: { matchLabels: { tier: "a", app: "web" } },
    other: { matchLabels: { tier: "a", app: "db" } },
    in: expression("In", ["db", "web"]),
    notIn: expression("NotIn", ["db"]),
    exists: expression("Exists"),
    absent: expression("DoesNotExist"),
    odd: expression("Equals"),
  })) {
    tell("poddisruptionbudgets", budget(name, selector));
  }
  await settle();
  tell("pods", pod("a", { app: "web", tier: "a" }));
  expect(await settle()).toEqual(["all", "equal", "exists", "in", "notIn"].map((name) => `shop/${name}`));
  tell("pods", pod("b", {}));
  expect(await settle()).toEqual(["shop/absent", "shop/all", "shop/notIn"]);
});

it("checks those that selected a Pod by each of its labels in between", async () => {
  const { tell, settle } = world();
  for (const app of ["a", "b", "c", "d"]) tell("poddisruptionbudgets", budget(app, { matchLabels: { app } }));
  tell("poddisruptionbudgets", budget("d", {}), { kind: "deleted" });
  await settle();
  const form = (app: string) => pod("one", { app });
  tell("pods", form("b"), { kind: "modified", previous: form("a") });
  tell("pods", form("c"), { kind: "modified", previous: form("b") });
  tell("pods", form("d"), { kind: "modified", previous: form("c") });
  expect(await settle()).toEqual(["shop/a", "shop/b", "shop/c"]);
});

it("leaves others their turn every ten steps with thousands of objects of large selectors", async () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key-${index}`, "same"]));
  const listed = Array.from({ length: 5000 }, (_, index) => pod(`pod-${index}`, many));
  const { selection, tell, settle } = world(listed);
  for (let index = 0; index < 5000; index += 1)
    tell("poddisruptionbudgets", budget(`b-${index}`, { matchLabels: many }));
  await settle();
  const { outcome, turns } = await turnsDuring(async () => {
    for (const one of listed.slice(0, 5)) tell("pods", one);
    const found = await Promise.all([1, 2, 3].map(() => selection.selectedBy(budget("b-0", { matchLabels: many }))));
    return [(await settle()).length, ...found.map((one) => one.length)];
  });
  expect(outcome).toEqual([25_000, 5000, 5000, 5000]);
  expect(turns).toBeGreaterThan((25_000 + 3 * 5000) / 11);
});

it("tests a Pod against those only that ask for a label of it", async () => {
  const { tell, settle } = world();
  let reads = 0;
  const counted = (labels: Labels) =>
    new Proxy(labels, { getOwnPropertyDescriptor: (...of) => (++reads, Reflect.getOwnPropertyDescriptor(...of)) });
  for (let index = 0; index < 5000; index += 1) {
    tell("poddisruptionbudgets", budget(`b-${index}`, { matchLabels: { team: "one", app: `app-${index}` } }));
  }
  await settle();
  tell("pods", pod("a", counted({ team: "one", app: "app-7" })));
  expect(await settle()).toContain("shop/b-7");
  expect(reads).toBeLessThan(50);
});
