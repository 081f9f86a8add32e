import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { objectsAt, valueAt } from "../../core/read-json.ts";
import type { KubeObject } from "../../model/kubernetes.ts";

interface Term {
  readonly path: readonly string[];
  readonly isEqual: boolean;
  readonly wanted: string;
}

/**
 * Reads `path=value`, `path==value` and `path!=value`, separated by commas, as kubectl does; all must hold. A path is that of a
 * text, number or boolean (`spec.protocol`), or the type of a condition (`Ready=False`). A field that is not there is the empty
 * text. The program compares: an API server selects definitions by name and namespace only. Undefined: every object.
 * @throws E_USAGE
 */
export function readFieldSelector(text: string | undefined): (object: KubeObject) => boolean {
  const terms = (text ?? "")
    .split(",")
    .filter((part) => part.trim() !== "")
    .map(readTerm);
  return (object) => terms.every(({ path, isEqual, wanted }) => (fieldOf(object, path) === wanted) === isEqual);
}

function readTerm(part: string): Term {
  const {
    path = "",
    sign = "",
    wanted = "",
  } = /^(?<path>[^=!]+)(?<sign>==?|!=)(?<wanted>[^=!]*)$/u.exec(part)?.groups ?? {};
  const steps = path.trim().replace(/^\./u, "").split(".");
  if (sign === "" || steps.includes("")) {
    const example = "spec.protocol=fleet, metadata.name!=eu-1 or Ready=False";
    throw new AppError("E_USAGE", `--field-selector has ${printable(part.trim())}; write it as ${example}`);
  }
  return { path: steps, isEqual: sign !== "!=", wanted: wanted.trim() };
}

function fieldOf(object: KubeObject, path: readonly string[]): string {
  const [first = "", ...rest] = path;
  const value = /^[A-Z]/u.test(first) && rest.length === 0 ? conditionOf(object, first) : valueAt(object, ...path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function conditionOf(object: KubeObject, type: string): unknown {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type)?.["status"];
}
