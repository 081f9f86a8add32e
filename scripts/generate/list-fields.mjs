// The public surface: every field of every kind, option of every command, key of labels and annotations, value of a chart
// and environment variable, with its effect in words.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isMap, parseDocument } from "yaml";
import { importTypeScript } from "./import-typescript.mjs";
import { dereference, isObject } from "./load-schemas.mjs";

/**
 * Entries by section, in the order of the page. `words` are the spellings by which a test can name an entry; one is enough.
 * `isSwitch`: of options alone; the others take a value.
 * @returns {Promise<{ section: string, name: string, effect: string, words: string[], isSwitch?: boolean }[]>}
 */
export async function listFields({ root, kinds, fragments }) {
  const sources = readSources(join(root, "src"));
  return [
    ...kinds.flatMap((kind) => fieldsOfKind(dereference(kind, fragments))),
    ...(await options(join(root, "src"))),
    ...keys(sources),
    ...["rollcall", "rollcall-agent"].flatMap((chart) => values(root, chart)),
    ...variables(sources),
  ];
}

function fieldsOfKind(schema) {
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = schema.properties;
  return Object.entries(fields).flatMap(([name, part]) => leaves(part, name, schema.title));
}

/** The fields below which the schema declares nothing more. */
function leaves(schema, path, section) {
  const isConditions = schema.items?.title === "Condition";
  if (schema.properties && !isConditions) {
    return Object.entries(schema.properties).flatMap(([name, part]) => leaves(part, `${path}.${name}`, section));
  }
  if (schema.items && !isConditions) {
    const below = leaves(schema.items, `${path}[]`, section);
    if (below.length !== 1 || below[0].name !== `${path}[]`) return below;
  }
  if (isObject(schema.additionalProperties)) {
    const below = leaves(schema.additionalProperties, `${path}.<key>`, section);
    if (below.length !== 1 || below[0].name !== `${path}.<key>`) return below;
  }
  const word = path.slice(path.lastIndexOf(".") + 1).replaceAll("[]", "");
  return [{ section, name: path, effect: schema.description ?? "", words: [word] }];
}

async function options(sourceFolder) {
  const { optionTable } = await importTypeScript(sourceFolder, "settings/options.ts");
  const { flagOf, settingName } = await importTypeScript(sourceFolder, "settings/option-entry.ts");
  return optionTable.flatMap((option) =>
    option.commands.map((command) => ({
      section: `rollcall ${command}`,
      name: flagOf(option),
      effect: option.description,
      words: [option.name, settingName(option.name)],
      isSwitch: option.kind === "switch",
    })),
  );
}

/** Keys of labels and annotations are string literals of src/; the comment above one is its effect. */
function keys(sources) {
  const found = new Map();
  for (const { text } of sources) {
    const lines = text.split("\n");
    for (const [index, line] of lines.entries()) {
      for (const [, key] of line.matchAll(/"(rollcall\.dev\/[a-z][a-z-]*)"/gu)) {
        const [, comment, constant] =
          /^\s*\/\*\* (.*) \*\/\n\s*(\w+):/u.exec(lines.slice(index - 1, index + 1).join("\n")) ?? [];
        const [, plain] = /^\s*(\w+): "/u.exec(line) ?? [];
        const known = found.get(key) ?? { effect: "", words: [key] };
        const name = constant ?? plain;
        found.set(key, { effect: known.effect || comment || "", words: name ? [...known.words, name] : known.words });
      }
    }
  }
  return [...found].sort(byName).map(([name, rest]) => ({ section: "Labels and annotations", name, ...rest }));
}

function values(root, chart) {
  const document = parseDocument(readFileSync(join(root, `deploy/charts/${chart}/values.yaml`), "utf8"));
  return valuesBelow(document.contents, "", `Chart ${chart}`);
}

function valuesBelow(node, prefix, section) {
  return node.items.flatMap(({ key, value }) => {
    const name = `${prefix}${key.value}`;
    if (isMap(value) && value.items.length > 0 && !/^(resources|nodeSelector)$/u.test(name)) {
      return valuesBelow(value, `${name}.`, section);
    }
    return [{ section, name, effect: (key.commentBefore ?? "").trim().replaceAll(/\n */gu, " "), words: [key.value] }];
  });
}

/** Variables that are read by name; those of the options follow from the options. */
function variables(sources) {
  const read = /environment(?:\[|, )"([A-Za-z0-9_]+)"|Variable = "([A-Z0-9_]+)"/gu;
  const names = sources.flatMap(({ text }) => [...text.matchAll(read)].map(([, one, other]) => one ?? other));
  const list = [...new Set(names)].sort();
  return list.map((name) => ({ section: "Environment", name, effect: "", words: [name] }));
}

function readSources(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => /\.tsx?$/u.test(path) && !path.includes("generated"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

function byName([one], [other]) {
  return one < other ? -1 : 1;
}
