import { describe, expect, it } from "vitest";
import { HeldObjects } from "../../../src/hub/held-objects.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { describeRef, refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { seededRandom } from "../../support/seeded-random.ts";
import { coreObject } from "./objects.ts";

const { configMap, secret } = resourceTypes;
const ofCluster = { [labelKeys.cluster]: "eu-1" };
const outside = { ...ofCluster, [labelKeys.ownerWorkspace]: "fleet" };
const owner = { label: labelKeys.cluster, workspace: "fleet", name: "eu-1" } as const;

/** Workspace "fleet" is one; every other namespace is none. */
function open(...objects: readonly KubeObject[]) {
  const workspaces = new Set(["fleet"]);
  const held = new HeldObjects(workspaces);
  const placeOf = (object: KubeObject) => refOf(resourceTypeOf(object) ?? secret, object);
  for (const object of objects) held.add(placeOf(object), object);
  const names = (found: readonly KubeObject[]) => found.map(({ metadata }) => metadata.name).sort();
  return {
    held,
    workspaces,
    remove: (object: KubeObject) => held.remove(placeOf(object), object),
    ownersOf: (object: KubeObject) => held.ownersOf(placeOf(object), object),
    list: (...of: Parameters<HeldObjects["list"]>) => names(held.list(...of)),
    children: () => names(held.childrenOf(owner)),
    unowned: (namespace: string) => names(held.unownedOf(secret, namespace)),
    in: (namespace: string) => names(held.listIn(namespace).map(([, object]) => object)),
  };
}

const own = coreObject("Secret", "own", { labels: ofCluster });
const free = coreObject("Secret", "free");
const map = coreObject("ConfigMap", "map", { labels: ofCluster });
const elsewhere = coreObject("Secret", "elsewhere", { namespace: "labs" });
const namespace: KubeObject = {
  ...coreObject("Namespace", "home", { labels: outside }),
  metadata: { name: "home", labels: outside },
};
const inside = coreObject("Secret", "inside", { namespace: "home" });

describe("HeldObjects", () => {
  it("lists objects by kind and by namespace", () => {
    const { held, list, in: listIn } = open(own, free, map, elsewhere);
    expect([list(secret), list(secret, "fleet"), list(configMap), list(configMap, "labs")]).toEqual([
      ["elsewhere", "free", "own"],
      ["free", "own"],
      ["map"],
      [],
    ]);
    expect([listIn("fleet"), listIn("labs"), listIn("none")]).toEqual([["free", "map", "own"], ["elsewhere"], []]);
    expect(held.get(refOf(secret, own))).toBe(own);
    expect(held.get({ type: configMap, namespace: "fleet", name: "own" })).toBeUndefined();
  });

  it("finds the objects of an owner by their label, of whatever kind, and those without an owner", () => {
    const { children, unowned } = open(own, free, map, elsewhere);
    expect([children(), unowned("fleet"), unowned("labs")]).toEqual([["map", "own"], ["free"], ["elsewhere"]]);
  });

  it("counts what is in a namespace of an owner as the owner's", () => {
    const { children, ownersOf } = open(namespace, inside, free);
    expect(children()).toEqual(["home", "inside"]);
    expect([ownersOf(inside), ownersOf(namespace), ownersOf(free)]).toEqual([[owner], [owner], []]);
  });

  it.each([
    { reason: "a Secret", named: coreObject("Secret", "home", { labels: ofCluster }) },
    {
      reason: "a Namespace of another API group",
      named: { ...namespace, apiVersion: "example.com/v1" },
    },
  ])("counts nothing in a namespace as the owner's because $reason of its name is", ({ named }) => {
    expect(open(named, inside).children()).toEqual(["home"]);
  });

  it("counts an object with the owner's label in such a namespace once", () => {
    const labelled = coreObject("Secret", "both", { namespace: "home", labels: outside });
    expect(open(namespace, labelled).children()).toEqual(["both", "home"]);
  });

  it("takes what is in a namespace for the owner's only while that namespace is known", () => {
    const { ownersOf, remove, children } = open(namespace, inside);
    remove(namespace);
    expect([ownersOf(inside), children()]).toEqual([[], []]);
  });

  it("gives no owner an object of a workspace because of the labels of the workspace's namespace", () => {
    const fleet = { ...namespace, metadata: { name: "fleet", labels: outside } };
    const { ownersOf, children } = open(fleet, free);
    expect([ownersOf(free), children()]).toEqual([[], ["fleet"]]);
  });

  it("forgets an object everywhere", () => {
    const { remove, list, children, unowned, in: listIn, held } = open(own, free, namespace, inside);
    for (const object of [own, free, inside]) remove(object);
    expect([list(secret), unowned("fleet"), listIn("fleet"), listIn("home"), children()]).toEqual([
      [],
      [],
      [],
      [],
      ["home"],
    ]);
    expect(held.get(refOf(secret, own))).toBeUndefined();
    expect(() => remove(map)).not.toThrow();
  });

  it("gives the same answer until something of the owner changes", () => {
    const { held } = open(own, map, namespace, inside, free);
    const first = held.childrenOf(owner);
    held.add(refOf(secret, elsewhere), elsewhere);
    held.remove(refOf(secret, free), free);
    expect(held.childrenOf(owner)).toBe(first);
    held.remove(refOf(secret, inside), inside);
    expect(held.childrenOf(owner)).not.toBe(first);
  });

  it("answers as if it had just read everything, after whatever was created and deleted", () => {
    const random = seededRandom(7);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const labels = [{}, ofCluster, outside, { ...outside, [labelKeys.token]: "all" }];
    const owners = [owner, { ...owner, label: labelKeys.token, name: "all" }] as const;
    const { held } = open();
    const now = new Map<string, KubeObject>();
    for (let step = 0; step < 2000; step++) {
      const name = pick(["a", "b", "c"]);
      const made =
        random() < 0.3
          ? {
              ...coreObject("Namespace", pick(["home", "labs"])),
              metadata: { name: pick(["home", "labs"]), labels: pick(labels) },
            }
          : coreObject(pick(["Secret", "ConfigMap"]), name, {
              namespace: pick(["fleet", "home", "labs"]),
              labels: pick(labels),
            });
      const ref = refOf(resourceTypeOf(made) ?? secret, made);
      const key = describeRef(ref);
      const before = now.get(key);
      if (before !== undefined) held.remove(ref, before);
      now.delete(key);
      if (random() < 0.7) {
        held.add(ref, made);
        now.set(key, made);
      }
      const fresh = open(...now.values()).held;
      for (const each of owners)
        expect(new Set(held.childrenOf(each)), `step ${step}`).toEqual(new Set(fresh.childrenOf(each)));
    }
  });
});
