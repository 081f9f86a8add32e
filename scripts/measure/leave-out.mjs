// In the process of the tests: which field is left out, and what the tests reach of the others.
import { appendFileSync, readFileSync } from "node:fs";
import { afterAll, expect } from "vitest";

const folder = process.env["ROLLCALL_MEASURE"];
const { numbers, rest, option, document, isRecording } = JSON.parse(readFileSync(`${folder}/left-out.json`, "utf8"));
const left = new Set(numbers ?? []);
const reached = new Set();
let words = 0;

const isLeft = (found) => {
  if (isRecording) for (const number of found) reached.add(number);
  return left.size > 0 && found.some((number) => left.has(number));
};

Object.assign(globalThis, {
  __key: (found, name) => (isLeft(found) && rest.length === 0 ? Symbol(name) : name),
  __below: (found, value) => (isLeft(found) && rest.length > 0 ? without(value, rest) : value),
  __pattern: (parts, value) => {
    if (left.size === 0 || rest.length === 0) return value;
    return parts.reduce((kept, [found, path]) => (isLeft(found) ? without(kept, [...path, ...rest]) : kept), value);
  },
  __word: (found, text) => (isLeft(found) ? `${text}-left-out-${(words += 1)}` : text),
  __isOption: (command, { name }) => {
    if (isRecording) reached.add(`rollcall ${command} --${name}`);
    return option?.command === command && option.name === name;
  },
  __document: (value) => {
    if (isRecording) reached.add(`document ${value.kind}`);
    const isMeant = document?.kind === value.kind && String(value.apiVersion).startsWith("rollcall.dev/");
    return isMeant ? without(value, document.path) : value;
  },
});

afterAll(() => {
  if (!isRecording) return;
  const file = expect.getState().testPath;
  appendFileSync(`${folder}/reached.jsonl`, `${JSON.stringify({ file, reached: [...reached] })}\n`);
  reached.clear();
});

/** A copy of the value without what is at the path. */
function without(value, path) {
  const [first, ...more] = path;
  if (first === undefined || value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((item) => without(item, first === "[]" ? more : path));
  if (first === "<key>")
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, without(item, more)]));
  if (!Object.hasOwn(value, first)) return value;
  const { [first]: found, ...others } = value;
  const isWhole = more.every((part) => part === "[]" || part === "<key>");
  return isWhole ? others : { ...others, [first]: without(found, more) };
}
