// The rows of src/embedded-hub/types/tables from published Go types, and what differs from them.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGoTypes } from "./go-types.mjs";
import { importTypeScript } from "./import-typescript.mjs";

const tablesFolder = "embedded-hub/types/tables";

/** Where the Go types of a table are, by the prefix of its names in OpenAPI. */
const places = [
  [/^io\.k8s\.api\.(?<path>.+)$/u, (path) => ["api", path.replace(".", "/")]],
  [/^io\.k8s\.apimachinery\.(?<path>.+)$/u, (path) => ["apimachinery", path.replaceAll(".", "/")]],
  [
    /^io\.k8s\.apiextensions-apiserver\.(?<path>.+)$/u,
    (path) => ["apiextensions-apiserver", path.replaceAll(".", "/")],
  ],
  [/^io\.k8s\.kube-aggregator\.(?<path>.+)$/u, (path) => ["kube-aggregator", path.replaceAll(".", "/")]],
];
const scalars = new Map(
  Object.entries({
    ...{
      string: "string",
      bool: "bool",
      int32: "int32",
      int64: "int64",
      int: "int32",
      float64: "double",
      "[]byte": "bytes",
    },
    ...{ "metav1.Time": "Time", Time: "Time", "metav1.MicroTime": "MicroTime", "resource.Quantity": "Quantity" },
    ...{ "intstr.IntOrString": "IntOrString", "runtime.RawExtension": "RawExtension", FieldsV1: "FieldsV1" },
    ...{ "types.UID": "string", "types.NodeName": "string", JSON: "JSON" },
  }),
);

/** `lines` has one line for each field or type that differs; with `isWritten` the tables are changed accordingly. */
export async function compareTables({ root, folder, version, isWritten }) {
  const files = readdirSync(join(root, "src", tablesFolder)).filter(
    (name) => name.endsWith("-v1.ts") || name.endsWith("-v2.ts"),
  );
  const tables = [];
  for (const file of files) {
    const exported = await importTypeScript(join(root, "src"), `${tablesFolder}/${file}`);
    const found = Object.values(exported).filter((value) => typeof value === "object" && "openApiPrefix" in value);
    tables.push(...found.map((table) => ({ ...table, file })));
  }
  const lines = [];
  const changes = [];
  let typeCount = 0;
  const shared = {
    core: readPlace({ openApiPrefix: "io.k8s.api.core.v1", folder, version }),
    meta: readPlace({ openApiPrefix: "io.k8s.apimachinery.pkg.apis.meta.v1", folder, version }),
  };
  for (const table of tables) {
    const go = readPlace({ openApiPrefix: table.openApiPrefix, folder, version });
    if (go === undefined) {
      lines.push(`${table.openApiPrefix}: no Go types in ${folder} of version ${version}`);
      continue;
    }
    const names = new Map(Object.keys(table.types).map((name) => [name, undefined]));
    for (const [name, user] of names) {
      const fields = go.structs.get(name);
      // A union is written by code of its own.
      if (fields === undefined || fields.some(({ tags }) => tags.json === undefined)) continue;
      typeCount += 1;
      const row = table.types[name] ?? {};
      const made = renderRow({ fields, go: { ...go, shared }, isAtomic: go.atomic.has(name) });
      for (const line of differencesOf(row, made)) lines.push(`${table.openApiPrefix}.${name}.${line}`);
      if (JSON.stringify(made) !== JSON.stringify(row)) changes.push({ name, user, made, file: table.file });
      for (const needed of localTypesOf(made))
        if (go.structs.has(needed) && !names.has(needed)) names.set(needed, name);
    }
  }
  if (isWritten) writeChanges(join(root, "src", tablesFolder), changes);
  return { lines, typeCount };
}

/** The names of messages of the same table that a row refers to. */
function localTypesOf(row) {
  return Object.values(row).flatMap(
    (text) => /^\d+ (?:map )?[*[\]]*(?<name>[A-Z]\w+)(?: |$)/u.exec(text)?.groups?.name ?? [],
  );
}

function readPlace({ openApiPrefix, folder, version }) {
  for (const [pattern, place] of places) {
    const path = pattern.exec(openApiPrefix)?.groups?.path;
    if (path === undefined) continue;
    const [module, inner] = place(path);
    const directory = join(folder, `${module}@${version}`, inner);
    if (!existsSync(directory)) return undefined;
    const texts = readdirSync(directory)
      .filter((name) => /^types.*\.go$/u.test(name) || name === "micro_time.go")
      .map((name) => readFileSync(join(directory, name), "utf8"));
    return readGoTypes(texts.join("\n"));
  }
  return undefined;
}

/** A row as the tables have it: `{"@"?, [name]: "<number> <type> <flag>..."}`. */
export function renderRow({ fields, go, isAtomic }) {
  const row = isAtomic ? { "@": "atomic" } : {};
  for (const { goName, type, tags, markers } of fields) {
    const [jsonName = "", ...options] = (tags.json ?? "").split(",");
    const number = tags.protobuf?.split(",")[1];
    if (number === undefined || jsonName === "-") continue;
    const protobufName =
      /name=(?<name>\w+)/u.exec(tags.protobuf)?.groups?.name ?? type[0].toLowerCase() + type.slice(1);
    const isInline = options.includes("inline") || (goName === undefined && jsonName === "");
    const key = isInline ? `...${protobufName}` : jsonName;
    row[key] = [number, renderType(type, go), ...flagsOf({ tags, markers, options, type, isInline, go })].join(" ");
  }
  return row;
}

function renderType(type, go) {
  if (type.startsWith("*")) return `*${renderType(type.slice(1), go)}`;
  const scalar = scalars.get(type);
  if (scalar !== undefined) return scalar;
  if (type.startsWith("[]")) return `[]${renderType(type.slice(2), go)}`;
  const map = /^map\[\w+(?:\.\w+)?\](?<element>.+)$/u.exec(type)?.groups?.element;
  if (map !== undefined) return `map ${renderType(map, go)}`;
  const [alias, name] = type.includes(".") ? type.split(".") : ["", type];
  const table = { metav1: "meta", v1: "core", corev1: "core" }[alias];
  if (table !== undefined) {
    const other = go.shared?.[table];
    const named = other?.named.get(name);
    return named === undefined ? `${table}.${name}` : renderType(named, other);
  }
  const underlying = go.named.get(type);
  if (underlying !== undefined && type !== "ExtraValue") return renderType(underlying, go);
  return alias === "" ? name : "string";
}

function flagsOf({ tags, markers, options, type, isInline, go }) {
  const valueOf = (name) => markers.find((marker) => marker.startsWith(`${name}=`))?.slice(name.length + 1);
  const all = (name) =>
    markers.filter((marker) => marker.startsWith(`${name}=`)).map((marker) => marker.slice(name.length + 1));
  const isAlways = !isInline && !options.includes("omitempty");
  const isOptional = markers.includes("optional") || markers.includes("k8s:optional");
  const listType = valueOf("listType");
  const defaultText = valueOf("default");
  const constant = /^ref\((?<name>\w+)\)$/u.exec(defaultText ?? "")?.groups?.name;
  const defaultValue = constant === undefined ? defaultText : go.named.get(`const ${constant}`);
  return [
    ...(isAlways ? ["always"] : []),
    ...(options.includes("omitzero") ? ["omitzero"] : []),
    ...(!isInline && (isAlways ? !isOptional : markers.includes("required")) ? ["required"] : []),
    ...(listType === "map" ? [`map=${all("listMapKey").join(",")}`] : []),
    ...(listType === "set" ? ["set"] : []),
    ...(listType === "atomic" || valueOf("mapType") === "atomic" || valueOf("structType") === "atomic"
      ? ["atomic"]
      : []),
    ...(tags.patchStrategy === undefined ? [] : [`patch=${tags.patchStrategy}`]),
    ...(tags.patchMergeKey === undefined ? [] : [`key=${tags.patchMergeKey}`]),
    ...(defaultValue === undefined || (isAlways && isZero(defaultValue, type)) ? [] : [`default=${defaultValue}`]),
    ...enumOf(type, go),
    ...(go.named.get(type) === "[]string" ? ["wrapped"] : []),
  ];
}

/** Other versions take these types over by an alias; the published OpenAPI then lacks their values. */
const withoutValues = new Set(["ReinvocationPolicyType", "ScopeType"]);

/** The values that a text, or each of a list or map of texts, may have. */
function enumOf(type, go) {
  const [, alias, name] = /^(?:\*|\[\]|map\[[\w.]+\])*(?:(\w+)\.)?(\w+)$/u.exec(type) ?? [];
  const table = { metav1: go.shared?.meta, v1: go.shared?.core, corev1: go.shared?.core, apiv1: go.shared?.core }[
    alias
  ];
  const values = (alias === undefined ? go : table)?.enums.get(name) ?? [];
  if (withoutValues.has(name)) return [];
  const texts = values.map((value) =>
    typeof value === "string" ? value : JSON.parse(go.shared.core.named.get(`const ${value.constant}`)),
  );
  return texts.length === 0 ? [] : [`enum=${texts.sort().map(encodeURIComponent).join(",")}`];
}

/** What is always written has its zero as default anyway. */
function isZero(value, type) {
  return !type.startsWith("*") && ['""', "0", "false"].includes(value);
}

function differencesOf(row, made) {
  return [...new Set([...Object.keys(row), ...Object.keys(made)])].flatMap((key) => {
    if (row[key] === made[key]) return [];
    return [`${key}: ${row[key] ?? "(none)"} -> ${made[key] ?? "(none)"}`];
  });
}

function writeChanges(folder, changes) {
  for (const file of readdirSync(folder)) {
    const path = join(folder, file);
    const before = readFileSync(path, "utf8");
    // A large table has several files: core-v1.ts, core-v1-pod.ts. Two tables may have types of one name.
    const own = changes.filter((change) => file === change.file || file.startsWith(change.file.replace(/\.ts$/u, "-")));
    const text = own.reduce(withChange, before);
    if (text !== before) writeFileSync(path, text);
  }
}

/** A type that the table does not have is after the one that needs it. */
function withChange(text, { name, user, made }) {
  const rows = Object.entries(made).map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const block = `  ${name}: {\n${rows.join("\n")}\n  },\n`;
  const blockOf = (wanted) => new RegExp(`^ +${wanted}: \\{[^}]*\\},\\n`, "mu");
  if (user === undefined) return text.replace(blockOf(name), () => block);
  return text.replace(blockOf(user), (found) => found + block);
}
