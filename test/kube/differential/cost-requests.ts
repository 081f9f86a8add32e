import type { Request } from "./replay.ts";

const text = { type: "string" };
const integer = { type: "integer" };

function short(maxLength: number): object {
  return { ...text, maxLength };
}

function list(items: object, maxItems?: number): object {
  return { type: "array", items, ...(maxItems === undefined ? {} : { maxItems }) };
}

function map(additionalProperties: object, maxProperties?: number): object {
  return { type: "object", additionalProperties, ...(maxProperties === undefined ? {} : { maxProperties }) };
}

function object(properties: object): object {
  return { type: "object", properties };
}

function ruled(schema: object, rule: string): object {
  return { ...schema, "x-kubernetes-validations": [{ rule }] };
}

/** Schemas with a rule that is on one side of what may be spent, or on the other. */
const schemas: readonly object[] = [
  list(ruled(list(text), "self.all(s, s == 'string constant')")),
  ruled(list(text), "self.all(s, s == 'string constant')"),
  ruled(list(text), "self.all(a, self.all(b, a == b))"),
  ruled(list(short(10), 1000), "self.all(a, self.all(b, a == b))"),
  ruled(list(integer, 1300), "self.all(a, self.exists_one(b, a == b))"),
  ruled(list(integer, 1400), "self.all(a, self.filter(b, a == b).size() == 1)"),
  ruled(list(integer, 700), "self.all(a, self.filter(b, a == b).size() == 1)"),
  ruled(list(integer, 700), "self.map(a, a + 1).all(c, self.map(b, b).size() == 1)"),
  ruled(list(integer, 200), "self.all(a, self.all(b, self.all(c, a == b && b == c)))"),
  ruled(list(integer, 90), "self.all(a, self.all(b, self.all(c, a == b && b == c)))"),
  ruled(text, "self.matches('^[a-z]+$')"),
  list(ruled(text, "self.matches('^[a-z]+$')")),
  list(ruled(short(63), "self.matches('^[a-z]+$')"), 100),
  map(ruled(text, "self.contains('abcabcabcabc')")),
  ruled(object({ a: text, b: text }), "self.a.contains(self.b)"),
  ruled(object({ a: text, b: text }), "self.a + self.b == self.b + self.a"),
  list(ruled(object({ a: list(integer) }), "5 in self.a")),
  ruled(list(integer, 3000), "self.all(x, x in self)"),
  ruled(list(integer, 3400), "self.all(x, x in self)"),
  list(ruled({ ...text, enum: ["a", "ccc"] }, "self == 'a'")),
  list(ruled(object({ a: text, b: text }), "self.a != self.b")),
  list(ruled({ ...object({ a: short(20), b: short(20) }), required: ["a", "b"] }, "self.a != self.b")),
  ruled(map(text), "self.all(k, self[k] == 'x')"),
  ruled(map(text, 10), "self.all(k, self[k].matches('^[a-z]+$'))"),
  list(ruled({ ...text, format: "date-time" }, "self > timestamp('2020-01-01T00:00:00Z')")),
  list(ruled(text, "self.size() > 5 ? self.matches('a+') : true")),
  list(ruled(object({ "a-b": text }), "self.a__dash__b != 'x'")),
  ruled(text, "self == oldSelf"),
  ruled(list(object({ type: text })), "self.all(a, self.exists_one(b, a.type == b.type))"),
  ruled(list(object({ type: short(63) }), 16), "self.all(a, self.exists_one(b, a.type == b.type))"),
  list(list(list(ruled(integer, "self > 1"), 10), 10), 10),
  list(list(list(ruled(short(1000), "self.matches('abcdefghijklmnop')"), 100), 100), 100),
];

/** Each schema as that of a CRD, which is only tried. */
export const costRequests: readonly Request[] = schemas.map((schema) => ({
  method: "POST",
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
  body: {
    metadata: { name: "costs.GROUP" },
    spec: {
      group: "GROUP",
      scope: "Namespaced",
      names: { plural: "costs", kind: "Cost" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: object({ spec: object({ x: schema }) }) },
        },
      ],
    },
  },
}));
