// In the process of the tests: which field is left out. Production code asks at each place that names one (instrument.mjs).
import { readFile, writeFile } from "node:fs/promises";

const nothing = { numbers: [], rest: [] };
let left = nothing;
let reached = new Set();
let words = 0;

/** Leaves out one target, or nothing; what is reached from here on is recorded anew. */
export function leaveOut(target = nothing) {
  left = { ...nothing, ...target };
  reached = new Set();
}

/** Places that were asked since the last call of {@link leaveOut}. */
export function reachedPlaces() {
  return reached;
}

const isLeft = (found) => {
  for (const number of found) reached.add(number);
  return left.numbers.length > 0 && found.some((number) => left.numbers.includes(number));
};

Object.assign(globalThis, {
  __key: (found, name) => (isLeft(found) && left.rest.length === 0 ? Symbol(name) : name),
  __below: (found, value) => (isLeft(found) && left.rest.length > 0 ? without(value, left.rest) : value),
  __word: (found, text) => (isLeft(found) ? `${text}-left-out-${(words += 1)}` : text),
  __pattern: (parts, value) =>
    parts.reduce(
      (kept, [found, path]) => (isLeft(found) && left.rest.length > 0 ? without(kept, [...path, ...left.rest]) : kept),
      value,
    ),
  __isOption: (command, { name }) => {
    reached.add(`rollcall ${command} --${name}`);
    return left.option === `rollcall ${command} --${name}`;
  },
  __values: async (chart, file) => {
    reached.add(`Chart ${chart}`);
    if (left.document !== `Chart ${chart}`) return;
    await writeFile(file, JSON.stringify(without(JSON.parse(await readFile(file, "utf8")), left.path)));
  },
  __document: (value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    reached.add(`document ${value.kind}`);
    const isMeant = left.document === value.kind && String(value.apiVersion).startsWith("rollcall.dev/");
    return isMeant ? without(value, left.path) : value;
  },
});

/** A copy of the value without what is at the path. */
function without(value, path) {
  const [first, ...more] = path;
  if (first === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => without(item, first === "[]" ? more : path));
  if (first === "<key>") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, without(item, more)]));
  }
  if (!Object.hasOwn(value, first)) return value;
  const { [first]: found, ...others } = value;
  const isWhole = more.every((part) => part === "[]" || part === "<key>");
  return isWhole ? others : { ...others, [first]: without(found, more) };
}
