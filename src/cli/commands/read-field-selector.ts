import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { objectsAt, valueAt } from "../../core/read-json.ts";
import { describeField } from "../../manifests/describe-field.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import { unknownField } from "./explain.ts";

interface Term {
  readonly path: readonly string[];
  readonly isEqual: boolean;
  readonly wanted: string;
}

/**
 * Reads `path=value`, `path==value` and `path!=value`, separated by commas, as kubectl does; all must hold. A path is that of a
 * text, number or boolean (`spec.protocol`), or the type of a condition (`Ready=False`). A field that `kind` has and the object
 * does not have is the empty text. The program compares: an API server selects definitions by name and namespace only.
 * Undefined: every object.
 * @throws E_USAGE
 */
export function readFieldSelector(text: string | undefined, kind: string): (object: KubeObject) => boolean {
  const terms = (text ?? "")
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => readTerm(part, kind));
  return (object) => terms.every(({ path, isEqual, wanted }) => (fieldOf(object, path) === wanted) === isEqual);
}

function readTerm(part: string, kind: string): Term {
  const {
    path = "",
    sign = "",
    wanted = "",
  } = /^(?<path>[^=!]+)(?<sign>==?|!=)(?<wanted>[^=!]*)$/u.exec(part)?.groups ?? {};
  const steps = readSteps(path.trim().replace(/^\./u, ""));
  if (sign === "" || steps.includes("")) {
    const example = "spec.protocol=fleet, metadata.name!=eu-1 or Ready=False";
    throw new AppError("E_USAGE", `--field-selector has ${printable(part.trim())}; write it as ${example}`);
  }
  const result = isCondition(steps) || steps[0] === "metadata" ? undefined : describeField(kind, steps);
  if (result !== undefined && "unknown" in result) throw unknownField(kind, result.unknown);
  return { path: steps, isEqual: sign !== "!=", wanted: wanted.trim() };
}

/** The key of a label or an annotation has dots of its own. */
function readSteps(path: string): string[] {
  const steps = path.split(".");
  const [first = "", second = "", ...key] = steps;
  const isOfMap = first === "metadata" && ["labels", "annotations"].includes(second) && key.length > 0;
  return isOfMap ? [first, second, key.join(".")] : steps;
}

function isCondition(path: readonly string[]): path is readonly [string] {
  return path.length === 1 && /^[A-Z]/u.test(path[0] ?? "");
}

function fieldOf(object: KubeObject, path: readonly string[]): string {
  const value = isCondition(path) ? conditionOf(object, path[0]) : valueAt(object, ...path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function conditionOf(object: KubeObject, type: string): unknown {
  return objectsAt(object, "status", "conditions").find((condition) => condition["type"] === type)?.["status"];
}
