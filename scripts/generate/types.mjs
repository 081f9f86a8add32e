// Kinds and fragments -> TypeScript types.
import { compile } from "json-schema-to-typescript";
import { format } from "./format.mjs";
import { fragmentNameOf, isObject, mergeFragment, pascalCase } from "./load-schemas.mjs";

/** Types that are written by hand, by the fragment that they implement. */
const handWritten = {
  conditions: { tsType: "Condition[]", imports: ["Condition", "../kubernetes.ts"] },
  "object-metadata": { tsType: "ObjectMeta", imports: ["ObjectMeta", "../kubernetes.ts"] },
  "hub-metadata": { tsType: "ObjectMeta", imports: ["ObjectMeta", "../kubernetes.ts"] },
};

/** TypeScript text of a kind. */
export async function kindTypes(schema, fragments, header) {
  return typesText(schema, schema.title, { fragments, header });
}

/** TypeScript text of a fragment, or undefined when it needs no type of its own. */
export async function fragmentTypes(name, fragments, header) {
  if (!hasOwnType(name, fragments)) return undefined;
  return typesText(fragments.get(name), typeNameOf(name, fragments), { fragments, header });
}

async function typesText(schema, name, { fragments, header }) {
  const imports = new Map();
  const prepared = toTypeSchema({ ...schema, title: name }, name, { fragments, imports });
  const text = await compile(prepared, name, {
    additionalProperties: false,
    bannerComment: "",
    declareExternallyReferenced: true,
    format: false,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
  });
  const importLines = [...imports].map(([type, path]) => `import type { ${type} } from "${path}";`).sort();
  const whole = [header, ...importLines, "", toAliases(text)].join("\n");
  return format("types.ts", whole);
}

/** Aliases instead of interfaces: only they may be handed to something that takes any object (KubeObject, JsonObject). */
function toAliases(text) {
  return text.replace(/^export interface (\w+) \{/gmu, "export type $1 = {").replace(/^\}$/gmu, "};");
}

function toTypeSchema(schema, name, context) {
  const fragmentName = fragmentNameOf(schema);
  if (fragmentName !== undefined) return toFragmentReference(schema, fragmentName, name, context);
  const description = describe(schema);
  if (schema["x-kubernetes-preserve-unknown-fields"]) {
    context.imports.set("JsonObject", "../../core/json.ts");
    return { description, tsType: "JsonObject" };
  }
  if (schema["x-kubernetes-int-or-string"]) return { description, tsType: "number | string" };
  if (schema.properties) return toObjectType(schema, name, context);
  const kept = { description, type: schema.type, enum: schema.enum };
  if (schema.items) kept.items = toTypeSchema(schema.items, singular(name), context);
  if (isObject(schema.additionalProperties)) {
    kept.additionalProperties = toTypeSchema(schema.additionalProperties, singular(name), context);
  }
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

function toObjectType(schema, name, context) {
  const title = schema.title ?? name;
  const prefix = schema["x-rollcall"] === undefined ? title : schema.title;
  return {
    title,
    description: describe(schema),
    type: "object",
    additionalProperties: false,
    required: schema.required ?? [],
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([key, part]) => [
        key,
        toTypeSchema(part, `${prefix}${pascalCase(key)}`, context),
      ]),
    ),
  };
}

function toFragmentReference(schema, fragmentName, name, context) {
  const known = handWritten[fragmentName];
  const merged = mergeFragment(schema, context.fragments);
  if (known !== undefined) {
    context.imports.set(...known.imports);
    return { description: describe(merged), tsType: known.tsType };
  }
  if (!hasOwnType(fragmentName, context.fragments)) return toTypeSchema(merged, name, context);
  const type = typeNameOf(fragmentName, context.fragments);
  context.imports.set(type, `./${fragmentName}.ts`);
  return { description: describe(merged), tsType: type };
}

function hasOwnType(name, fragments) {
  if (handWritten[name] !== undefined) return false;
  const fragment = fragments.get(name);
  return fragment.enum !== undefined || fragment.properties !== undefined || fragment.items?.properties !== undefined;
}

function typeNameOf(name, fragments) {
  return fragments.get(name).title ?? pascalCase(name);
}

function describe(schema) {
  if (schema.default === undefined || isObject(schema.default)) return schema.description;
  return `${schema.description}\nDefault: \`${JSON.stringify(schema.default)}\`.`;
}

function singular(name) {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("s") ? name.slice(0, -1) : `${name}Item`;
}
