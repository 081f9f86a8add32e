import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/core/json.ts";
import { createValueSharing } from "../../../src/hub/share-values.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";

const withFields = (...sets: readonly (JsonObject | undefined)[]): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    managedFields: sets.map((fieldsV1, index) => ({ manager: `m${index}`, ...(fieldsV1 ? { fieldsV1 } : {}) })),
  },
});
const setsOf = ({ metadata }: KubeObject) => metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);

/** As an API server sends it: no part is another object's. */
const parsed = (name: string, rest: Record<string, Json>, kind = "Role"): KubeObject & Record<string, unknown> =>
  JSON.parse(
    JSON.stringify({ apiVersion: "v1", kind, metadata: { name, labels: { app: "agent" } }, ...rest }),
  ) as KubeObject & Record<string, unknown>;
const rule = { apiGroups: ["rollcall.dev"], resources: ["clusters", "clusterreports"], verbs: ["get", "watch"] };

/** Of the heap, after a collection. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

describe("createValueSharing, of sets of fields", () => {
  it("lets objects share equal sets of fields, and changes no content", () => {
    const share = createValueSharing();
    const first = withFields({ "f:data": { "f:a": {} } }, { "f:data": {} });
    const second = withFields({ "f:data": {} }, { "f:data": { "f:a": {} } }, { "f:spec": {} });
    const before = structuredClone(second);
    share(first);
    share(second);
    expect(second).toEqual(before);
    const [a, b] = setsOf(first) ?? [];
    const [c, d] = setsOf(second) ?? [];
    expect([c === b, d === a]).toEqual([true, true]);
  });

  it("lets sets share parts, where each has a name of its own", () => {
    const share = createValueSharing();
    const long = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f:field${index}`, {}]));
    const conditions = { 'k:{"type":"Ready"}': { ".": {}, "f:status": {} } };
    const of = (key: string) => withFields({ "f:keys": { [`v:"${key}"`]: {} }, "f:conditions": conditions, ...long });
    const [first, second] = [of("1"), structuredClone(of("2"))];
    share(first);
    share(second);
    expect(second).toEqual(of("2"));
    expect(setsOf(first)?.[0]?.["f:conditions"]).toBe(setsOf(second)?.[0]?.["f:conditions"]);
  });

  it("A164 keeps nothing of large sets, which an agent may write to its Lease ever anew", () => {
    const share = createValueSharing();
    const large = (number: number): KubeObject =>
      withFields(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f:n${number}.${index}`, {}])));
    share(large(0));
    const beforeBytes = usedBytes();
    for (let number = 1; number <= 100; number++) share(large(number));
    expect(usedBytes() - beforeBytes).toBeLessThan(16 * 1024 ** 2);
  });

  it("takes objects without managers, and managers without fields", () => {
    const share = createValueSharing();
    const bare: KubeObject = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } };
    share(bare);
    share(withFields(undefined));
    expect(bare).toEqual({ apiVersion: "v1", kind: "Secret", metadata: { name: "a" } });
  });

  it("remembers a bounded number of sets, and those that are used", () => {
    const share = createValueSharing();
    const long = (name: string) => ({ [`f:${name}`]: {}, [`f:${"x".repeat(300)}`]: {} });
    const first = withFields(long("data"));
    const common = setsOf(first)?.[0];
    share(first);
    for (let index = 0; index < 3000; index++) {
      share(withFields(long(`${index}`)));
      if (index % 100 === 0) share(withFields(long("data")));
    }
    const later = withFields(long("data"), long("0"));
    share(later);
    expect(setsOf(later)?.[0]).toBe(common);
    const again = withFields(long("0"));
    share(again);
    expect(setsOf(again)?.[0]).toBe(setsOf(later)?.[1]);
  });
});

describe("createValueSharing, of other parts", () => {
  it.each<readonly [string, string, Json]>([
    ["lists of objects", "rules", [rule, { ...rule, verbs: [] }]],
    ["values of all types", "spec", { a: { b: { c: [1, "x", null, true, { d: [] }] } }, e: {}, f: 'é\n"', g: 0.5 }],
    ["a long string", "data", { ["__proto__"]: "x", long: "y".repeat(20_000) }],
    ["a key named __proto__", "spec", JSON.parse('{"__proto__": {"a": {}}, "b": {"__proto__": {"a": {}}}}') as Json],
  ])("changes no content: %s", (_, key, value) => {
    const share = createValueSharing();
    const text = JSON.stringify(parsed("a", { [key]: value }));
    for (let round = 0; round < 3; round++) {
      const object = parsed("a", { [key]: value });
      share(object);
      expect(JSON.stringify(object)).toBe(text);
    }
  });

  it("lets two objects share what is equal in both", () => {
    const share = createValueSharing();
    const [first, second] = [
      parsed("a", { rules: [rule, { ...rule, resourceNames: ["a"] }] }),
      parsed("b", { rules: [rule] }),
    ];
    share(first);
    share(second);
    expect(second.metadata.labels).toBe(first.metadata.labels);
    expect((second["rules"] as Json[])[0]).toBe((first["rules"] as Json[])[0]);
    expect(second.metadata).not.toBe(first.metadata);
  });

  it.each<readonly [Json, Json]>([
    [{ a: 1 }, { a: "1" }],
    [{ a: null }, { a: "null" }],
    [{ a: 12 }, { a: 12n }],
    [["a", "b"], ["a,b"]],
    [['a","b'], ["a", "b"]],
    [[], {}],
    [
      ["", "a"],
      ["a", ""],
    ],
    [
      { a: {}, b: {} },
      { b: {}, a: {} },
    ],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
  ])("keeps %o and %o apart", (one, other) => {
    const share = createValueSharing();
    const of = (part: Json) => ({ apiVersion: "v1", kind: "Role", metadata: { name: "a" }, part }) as KubeObject;
    share(of(structuredClone(one)));
    const object = of(structuredClone(other));
    share(object);
    expect(Reflect.get(object, "part")).toStrictEqual(other);
    expect(Object.keys(Reflect.get(object, "part") as object)).toEqual(Object.keys(other as object));
  });

  it("freezes what is shared, so that no holder can change it for the others", () => {
    const object = parsed("a", { rules: [rule] });
    createValueSharing()(object);
    expect(Object.isFrozen(object.metadata.labels)).toBe(true);
    expect(Object.isFrozen(object.metadata)).toBe(false);
    expect(() =>
      Reflect.apply(Array.prototype.push, (object["rules"] as (typeof rule)[])[0]?.verbs, ["delete"]),
    ).toThrow(TypeError);
  });

  it("does not remember the values of Secrets, nor the copy of them in an annotation of kubectl", () => {
    const share = createValueSharing();
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"a":"eA=="}}' };
    const withAnnotations = () => {
      const secret = parsed("a", { data: { a: "eA==" } }, "Secret");
      return { ...secret, metadata: { ...secret.metadata, annotations: { ...annotations } } };
    };
    const [first, second] = [withAnnotations(), withAnnotations()];
    share(first);
    share(second);
    for (const read of [
      (secret: typeof first): unknown => Reflect.get(secret, "data"),
      (secret: typeof first): unknown => secret.metadata.annotations,
    ]) {
      expect(read(second)).not.toBe(read(first));
      expect(Object.isFrozen(read(first))).toBe(false);
    }
  });

  it("holds one copy of a long string that many objects have", () => {
    const share = createValueSharing();
    const withText = () => parsed("a", { spec: { text: "x".repeat(10_000), place: { text: "y".repeat(10_000) } } });
    const held = [withText()];
    const before = usedBytes();
    for (let count = 0; count < 1000; count++) {
      const object = withText();
      share(object);
      held.push(object);
    }
    expect(usedBytes() - before).toBeLessThan(3_000_000);
    expect(held).toHaveLength(1001);
  });

  it("takes what is nested very deeply", () => {
    const depth = 5000;
    const deep = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`) as Json[];
    const object = { apiVersion: "v1", kind: "Role", metadata: { name: "a" }, deep } as KubeObject;
    createValueSharing()(object);
    let levels = 0;
    for (let level: Json | undefined = deep; Array.isArray(level); level = level[0] as Json | undefined) levels++;
    expect(levels).toBe(depth);
  });

  it("remembers a bounded number of parts", () => {
    const share = createValueSharing();
    const first = parsed("a", { spec: { only: ["here"] } });
    share(first);
    for (let index = 0; index < 9000; index++) share(parsed("a", { spec: { index: [index] } }));
    const later = parsed("a", { spec: { only: ["here"] } });
    share(later);
    expect(later["spec"]).not.toBe(first["spec"]);
    expect(later.metadata.labels).toBe(first.metadata.labels);
  });
});
