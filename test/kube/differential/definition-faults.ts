import type { Request } from "./replay.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
const text = { type: "string" };

const properties = {
  a: { type: "string", maxLength: 20 },
  n: { type: "array", maxItems: 5, items: { type: "integer" } },
  m: { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 5 } },
  i: { type: "integer" },
};

const names = { plural: "faults", kind: "Fault" };

function ofSpec(spec: object): object {
  return { schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", ...spec } } } } };
}

function definition(version: object = {}, spec: object = {}, metadata: object = {}): Request {
  const body = {
    metadata: { name: "faults.GROUP", ...metadata },
    spec: {
      group: "GROUP",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, ...ofSpec({ properties }), ...version }],
      ...spec,
    },
  };
  return { method: "POST", path: definitions, body };
}

const webhook = { conversionReviewVersions: ["v1"], clientConfig: { url: "https://example.org" } };
const whole = { name: "v1", served: true, storage: true, ...ofSpec({ properties }) };

const specs: readonly object[] = [
  { names: { ...names, singular: "Fault" } },
  { names: { ...names, shortNames: ["Fa", "fa", "fa"], categories: ["All", "a b"] } },
  { names: { ...names, shortNames: [""], categories: ["all", ""] } },
  { names: { ...names, listKind: "Fault" } },
  { names: {} },
  ...["Other", ""].map((scope) => ({ scope })),
  ...["foo", "Foo.bar", ""].map((group) => ({ group })),
  ...[[], null, [whole, whole], [whole, { ...whole, name: "v2" }], [{ ...whole, storage: false }]].map((versions) => ({
    versions,
  })),
  ...[
    {},
    { strategy: "None" },
    { strategy: "Other" },
    { strategy: "None", webhook },
    { strategy: "Other", webhook },
  ].map((conversion) => ({ conversion })),
];

const paths = [
  ".spec.a",
  "",
  ".metadata.name",
  ".spec",
  ".spec.n[0]",
  ".spec.m.x",
  ".spec['a']",
  ".spec.",
  "spec.a",
  ".status.x",
];

const versions: readonly object[] = [
  ...["V1", "v1.1", ""].map((name) => ({ name })),
  ...["x", "", "a\nb", "\u00a0", "\u00e9".repeat(200), "\u00e9\n", "x".repeat(257)].flatMap((deprecationWarning) => [
    { deprecated: true, deprecationWarning },
    { deprecationWarning },
  ]),
  ...paths.map((jsonPath) => ({ selectableFields: [{ jsonPath }] })),
  { selectableFields: [".spec.a", ".spec.a", ".spec.i"].map((jsonPath) => ({ jsonPath })) },
  { selectableFields: Array.from({ length: 9 }, (_item, index) => ({ jsonPath: `.spec.m.x${index}` })) },
  { selectableFields: Array.from({ length: 9 }, (_item, index) => ({ jsonPath: `.spec.none${index}` })) },
];

/** What a schema declares for a property that it does not declare, in an alternative. */
const undeclared: readonly object[] = [
  { properties: { c: { minLength: 1 } } },
  { required: ["c"], properties: { c: {} } },
  { properties: { c: { type: "string" } } },
  { properties: { a: { properties: { d: { minLength: 1 } } } } },
  { items: { minLength: 1 } },
  { properties: { metadata: { required: ["x"] } } },
];
const alternatives: readonly object[] = [
  ...["oneOf", "anyOf", "allOf"].flatMap((key) => undeclared.map((one) => ({ [key]: [one] }))),
  ...undeclared.map((not) => ({ not })),
];

function rootOf(rest: object): object {
  return {
    schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } }, ...rest } },
  };
}

const words =
  "as break const continue else for function if import let loop package namespace return var void while self".split(
    " ",
  );

/** Properties whose names are words of the language of rules. */
const rules: readonly object[] = words.flatMap((word) =>
  [`self.${word} == 'x'`, `has(self.${word})`, `self.?${word}.orValue('') == 'x'`].map((rule) =>
    ofSpec({ properties: { [word]: text }, "x-kubernetes-validations": [{ rule }] }),
  ),
);

const embedded = { type: "object", "x-kubernetes-embedded-resource": true, properties: { a: text } };

/** Properties with a default, or with `$schema`. */
const defaulted: readonly object[] = [
  ...[
    {},
    { a: "x" },
    { apiVersion: "v1" },
    { apiVersion: "a/b/c", kind: "a b" },
    { apiVersion: "v1", kind: "Pod", metadata: { name: "A_" } },
    { apiVersion: "v1", kind: "Pod", b: 1 },
  ].map((value) => ({ ...embedded, default: value })),
  ...[[{ a: "x" }], [{ b: 1 }], [[{ b: 1 }]], [null]].map((value) => ({
    type: "array",
    items: { type: "object", properties: { a: text } },
    default: value,
  })),
  ...["self == 'b'", "self == oldSelf && self != 'c'", "self.size() > 1 || oldSelf.hasValue()"].flatMap((rule) =>
    ["a", "b", "bb", "c"].map((value) => ({
      type: "string",
      maxLength: 5,
      default: value,
      "x-kubernetes-validations": [{ rule, ...(rule.includes("hasValue") ? { optionalOldSelf: true } : {}) }],
    })),
  ),
  ...[{ x: "q" }, { x: "r" }, {}].map((value) => ({
    type: "object",
    default: value,
    properties: {
      x: { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self != 'q'", message: "no q" }] },
    },
    "x-kubernetes-validations": [{ rule: "has(self.x)", fieldPath: ".x", reason: "FieldValueRequired" }],
  })),
  { ...text, $schema: "x" },
  { ...text, $schema: "x", default: 1 },
  { type: "array", items: { ...text, $schema: "x" }, "x-kubernetes-list-type": "map" },
];

/** Definitions with faults, and some that only resemble one with a fault. */
export const faultRequests: readonly Request[] = [
  ...specs.map((spec) => definition({}, spec)),
  ...versions.map((version) => definition(version)),
  ...[{ name: "" }, { name: "other.GROUP" }].map((metadata) => definition({}, {}, metadata)),
  ...alternatives.flatMap((one) => [
    definition(ofSpec({ properties, ...one })),
    definition(ofSpec({ properties: { o: { type: "object", properties, ...one } } })),
    definition(rootOf(one)),
    definition(rootOf({ allOf: [{ properties: { spec: one } }] })),
  ]),
  ...[[text], []].map((items) => definition(ofSpec({ properties: { a: { type: "array", items } } }))),
  ...rules.map((version) => definition(version)),
  ...defaulted.map((property) => definition(ofSpec({ properties: { d: property } }))),
  definition({ schema: { openAPIV3Schema: { type: "object", default: {} } } }),
];

/** Rules over such properties, at work. */
export const wordRequests: readonly Request[] = [
  {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: {
      metadata: { name: "words.GROUP" },
      spec: {
        group: "GROUP",
        scope: "Namespaced",
        names: { plural: "words", kind: "Word" },
        versions: [
          {
            ...whole,
            ...ofSpec({
              properties: { namespace: text, if: text, o: { type: "object", properties: { as: text } } },
              "x-kubernetes-validations": [
                { rule: "!has(self.namespace) || self.namespace == self.__namespace__" },
                { rule: "!has(self.namespace) || self.namespace != 'bad'", message: "bad namespace" },
                { rule: "self.?o.as.orValue('good') != 'bad'", message: "bad as" },
              ],
            }),
          },
        ],
      },
    },
  },
  ...[{ namespace: "good" }, { namespace: "bad" }, { o: { as: "bad" } }, { o: { as: "good" }, if: "x" }].map(
    (spec, index): Request => ({
      method: "POST",
      path: "/apis/GROUP/v1/namespaces/NS/words",
      body: { apiVersion: "GROUP/v1", kind: "Word", metadata: { name: `w${index}` }, spec },
    }),
  ),
];
