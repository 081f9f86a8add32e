// Reads schemas/ and answers questions about it. Every other module of the generator works on what this returns.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const suffix = ".schema.json";

/**
 * All kinds, sorted by name, and all fragments, sorted by file name.
 * @returns {{ kinds: object[], fragments: Map<string, object> }}
 */
export function loadSchemas(folder) {
  const fragmentFolder = join(folder, "fragments");
  return {
    kinds: schemaFiles(folder)
      .map((path) => readJson(path))
      .sort((a, b) => (a.title < b.title ? -1 : 1)),
    fragments: new Map(schemaFiles(fragmentFolder).map((path) => [basename(path, suffix), readJson(path)])),
  };
}

/** `cluster-registration-token` for `ClusterRegistrationToken`. */
export function kebabCase(kind) {
  return kind.replace(/(?<=[a-z])(?=[A-Z])/gu, "-").toLowerCase();
}

/** Kinds of another project that a hub must hold, by the project's folder in schemas/foreign. */
export function loadForeignSchemas(folder) {
  const foreignFolder = join(folder, "foreign");
  const projects = existsSync(foreignFolder) ? readdirSync(foreignFolder).sort() : [];
  return new Map(
    projects.map((project) => [project, schemaFiles(join(foreignFolder, project)).map((path) => readJson(path))]),
  );
}

/** `ClusterRegistrationToken` for `cluster-registration-token`, `DeletionPolicy` for `deletionPolicy`. */
export function pascalCase(name) {
  return name.replace(/(?:^|-)([a-z])/gu, (_match, letter) => letter.toUpperCase());
}

/** The fragment that a `$ref` names, or undefined when the schema has none. */
export function fragmentNameOf(schema) {
  return schema.$ref === undefined ? undefined : basename(schema.$ref, suffix);
}

/** The schema with every `$ref` replaced by its fragment. What is beside a `$ref` wins over the fragment. */
export function dereference(schema, fragments) {
  return mapSchema(schema, (part) => (part.$ref === undefined ? part : mergeFragment(part, fragments)));
}

/** One `$ref` replaced; those inside the fragment stay. */
export function mergeFragment(schema, fragments) {
  const fragment = fragments.get(fragmentNameOf(schema));
  if (fragment === undefined) throw new Error(`unknown fragment ${schema.$ref}`);
  const { $schema: _dialect, $id: _id, ...body } = fragment;
  const { $ref: _ref, ...own } = schema;
  const merged = { ...body, ...own };
  if (body.properties && own.properties) merged.properties = { ...body.properties, ...own.properties };
  return merged;
}

/** A copy in which `change` was applied to every schema, parents before their children. */
export function mapSchema(schema, change) {
  const changed = { ...change(schema) };
  if (changed.properties) {
    changed.properties = Object.fromEntries(
      Object.entries(changed.properties).map(([name, part]) => [name, mapSchema(part, change)]),
    );
  }
  if (changed.items) changed.items = mapSchema(changed.items, change);
  if (isObject(changed.additionalProperties)) {
    changed.additionalProperties = mapSchema(changed.additionalProperties, change);
  }
  return changed;
}

/** True for an object that is not a list. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function schemaFiles(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .sort()
    .map((name) => join(folder, name));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
