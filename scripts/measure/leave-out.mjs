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
  __isOption: (command, flag) => {
    reached.add(`rollcall ${command} ${flag}`);
    return left.option === `rollcall ${command} ${flag}`;
  },
  __args: (args) => {
    const [command, rest] = /^(?:add|remove)$/u.test(args[0])
      ? [args.slice(0, 2).join(" "), args.slice(2)]
      : [args[0], args.slice(1)];
    for (const arg of rest) reached.add(`rollcall ${command} ${flagOf(arg)}`);
    const isLeftOut = (arg) => left.flag !== undefined && `rollcall ${command} ${flagOf(arg)}` === left.option;
    const isValue = (index) => left.flag === "valued" && isLeftOut(rest[index - 1]) && !rest[index - 1].includes("=");
    return [...command.split(" "), ...rest.filter((arg, index) => !isLeftOut(arg) && !isValue(index))];
  },
  __patch: ({ kind, group, version }, patch) => {
    const {
      apiVersion: _apiVersion,
      kind: _kind,
      ...less
    } = globalThis.__document({
      apiVersion: `${group}/${version}`,
      kind,
      ...patch,
    });
    return less;
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

const flagOf = (arg) => arg.replace(/=.*$/su, "");

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
