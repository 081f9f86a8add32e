import { appendAll } from "../../core/append-all.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { ResourceHooks } from "../operations/resource-definition.ts";

type Validate = NonNullable<ResourceHooks["validate"]>;

/** Warns at each write of an object that it has no effect here. `does` is what does not happen. */
export function storedOnly(
  validate: Validate,
  does: string,
  warn: (object: KubeObject) => readonly string[] = () => [],
): Validate {
  return (object, old, context) => {
    const errors = validate(object, old, context);
    if (errors.length > 0 || context.subresource !== undefined) return errors;
    const { kind, metadata } = object;
    const name = JSON.stringify(metadata.name ?? "");
    appendAll(context.warnings, [
      ...(old === undefined ? warn(object) : []),
      `${kind} ${name} is stored and has no effect: this hub has no controller that ${does}`,
    ]);
    return errors;
  };
}
