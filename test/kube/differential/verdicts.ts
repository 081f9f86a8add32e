import type { Json } from "../../../src/core/json.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { Answer } from "./replay.ts";

// What an answer to a write of a built-in kind states of it, in a form that is the same on two hubs.

const inMemory = /Invalid value: \{.*\}: (field is immutable|requires indexed completion|must be empty for finished)/u;

/** Node ports are each hub's own; kube-apiserver gives two ports of one name the same one. So are ranges of addresses. */
function causesOf(body: Json): string[] {
  const causes = objectsAt(body, "details", "causes").map((cause) => JSON.stringify(cause));
  return (
    causes
      .filter((cause) => !cause.includes('.nodePort"'))
      .map((cause) => cause.replace(/range of valid IPs is [\d./]+/u, "range of valid IPs is RANGE"))
      // It prints objects as its own program holds them, and what is empty as it was sent.
      .map((cause) => cause.replace(inMemory, "Invalid value: OBJECT: $1"))
      .map((cause) => cause.replace(/Invalid value: (?:\[\]|\{\}): /u, "Invalid value: null: "))
      .map((cause) => cause.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "UID"))
      // The parsers of CEL have messages of their own.
      .map((cause) => cause.replace(/: ERROR: [^"]*: Syntax error: .*(","field")/u, ": Syntax error$1"))
  );
}

/** Of a success the code, of a refusal what it names: fields, reasons and messages in any order. */
export function verdictOf({ code, body }: Answer): Json {
  if (code < 300) return [code];
  // kube-apiserver validates some fields twice. Types of Go in its messages are those of its own program.
  if (code === 422) return [code, [...new Set(causesOf(body))].sort()];
  return [code, (textAt(body, "message") ?? "").replace(/ of type \S+$/u, " of type T")];
}

/** kube-apiserver answers two new ports of one name with an internal error. */
export function isAlike(here: Json, there: Json): boolean {
  const [one, other] = [JSON.stringify(here), JSON.stringify(there)];
  return one === other || (one.startsWith("[422") && other.startsWith('[500,"duplicate nodePort'));
}
