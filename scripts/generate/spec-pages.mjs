// Kinds -> docs/spec/: one page for each, with an example and a table of its fields.
import { stringify } from "yaml";
import { dereference, isObject, kebabCase } from "./load-schemas.mjs";

const places = {
  file: "Declared by files of the repository.",
  hub: "An object on the hub; never declared by files.",
  record: "Written by Rollcall on the status branch; never applied.",
};

/** Text of the page of a kind. */
export function specPage(schema, fragments, notice) {
  const { in: place, crd } = schema["x-rollcall"];
  const whole = dereference(schema, fragments);
  const { apiVersion: _apiVersion, kind: _kind, metadata, status, ...declared } = whole.properties;
  const rules = rulesOf(whole, "");
  return [
    `<!-- ${notice} -->`,
    `# ${schema.title}`,
    schema.description,
    `${places[place]} ${crd === undefined ? "It is no kind of the hub." : hubNames(schema.properties.apiVersion.enum[0], crd)}`,
    `Schema: [\`${kebabCase(schema.title)}.schema.json\`](../../schemas/${kebabCase(schema.title)}.schema.json)`,
    "## Example",
    ...schema.examples.map((example) => `\`\`\`yaml\n${stringify(example, { lineWidth: 0 })}\`\`\``),
    "## Fields",
    "**Bold** fields must be set.",
    table([
      ...rowsOf({ ...metadata.properties }, metadata.required, "metadata."),
      ...rowsOf(declared, whole.required, ""),
    ]),
    ...(rules.length > 0 ? ["## Rules", rules.map((rule) => `- ${rule}`).join("\n")] : []),
    ...(status === undefined ? [] : ["## Status", status.description, table(rowsOf(status.properties, [], "status."))]),
    "",
  ].join("\n\n");
}

/** Text of the page that lists all kinds. */
export function specIndex(kinds, notice) {
  const sectionOf = (place, title) => {
    const rows = kinds
      .filter((schema) => schema["x-rollcall"].in === place)
      .map((schema) => `| [${schema.title}](${kebabCase(schema.title)}.md) | ${schema.description} |`);
    return [`## ${title}`, ["| kind | what it is |", "| --- | --- |", ...rows].join("\n")];
  };
  return [
    `<!-- ${notice} -->`,
    "# Kinds",
    "All kinds are of `rollcall.dev/v1alpha1`.",
    ...sectionOf("file", "Files in the repository"),
    ...sectionOf("hub", "Objects on the hub"),
    ...sectionOf("record", "Records on the status branch"),
    "",
  ].join("\n\n");
}

function hubNames(apiVersion, { plural, shortNames }) {
  const [group] = apiVersion.split("/");
  const short = shortNames.length > 0 ? `, short \`${shortNames.join("`, `")}\`` : "";
  return `On the hub: \`${plural}.${group}\`${short}.`;
}

function table(rows) {
  const lines = rows.map(({ path, isRequired, schema }) => {
    const name = isRequired ? `**\`${path}\`**` : `\`${path}\``;
    return `| ${name} | ${cell(typeText(schema))} | ${defaultText(schema)} | ${cell(schema.description)} |`;
  });
  return ["| field | type | default | meaning |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function rowsOf(properties, required = [], prefix) {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const own = { path, isRequired: required.includes(name), schema };
    return [own, ...rowsBelow(schema, path)];
  });
}

function rowsBelow(schema, path) {
  if (isConditions(schema)) return [];
  if (schema.properties) return rowsOf(schema.properties, schema.required, `${path}.`);
  if (schema.items) return rowsBelow(schema.items, `${path}[]`);
  return isObject(schema.additionalProperties) ? rowsBelow(schema.additionalProperties, `${path}.<key>`) : [];
}

function isConditions(schema) {
  return schema.items?.title === "Condition";
}

function rulesOf(schema, path) {
  const own = (schema["x-kubernetes-validations"] ?? []).map(
    ({ message }) => `${path === "" ? "" : `\`${path}\`: `}${message}`,
  );
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    rulesOf(part, path === "" ? name : `${path}.${name}`),
  );
  return [...own, ...below, ...(schema.items ? rulesOf(schema.items, `${path}[]`) : [])];
}

function typeText(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema["x-kubernetes-int-or-string"]) return "whole number or text";
  if (isConditions(schema)) return "list of conditions, as on every Kubernetes object";
  if (schema.items) return `list, at most ${schema.maxItems}: ${typeText(schema.items)}`;
  if (isObject(schema.additionalProperties))
    return `map, at most ${schema.maxProperties}: ${typeText(schema.additionalProperties)}`;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "integer") return `whole number${rangeText(schema)}`;
  if (type === "string" && schema.format === "date-time") return "time (RFC 3339)";
  if (type === "string") return `text${lengthText(schema)}${Array.isArray(schema.type) ? ", or null" : ""}`;
  if (type === "object" && schema["x-kubernetes-preserve-unknown-fields"]) return "anything";
  return type === "boolean" ? "true or false" : "object";
}

function rangeText({ minimum, maximum }) {
  if (maximum === undefined || maximum >= 2147483647) return minimum === undefined ? "" : `, from ${minimum}`;
  return `, ${minimum} to ${maximum}`;
}

function lengthText({ maxLength }) {
  return maxLength === undefined || maxLength > 253 ? "" : `, at most ${maxLength} characters`;
}

function defaultText(schema) {
  return schema.default === undefined || isObject(schema.default) ? "" : `\`${schema.default}\``;
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
}
