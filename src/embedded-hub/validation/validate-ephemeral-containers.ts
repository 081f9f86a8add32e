import type { JsonObject } from "../../core/json.ts";
import { objectsAt, textAt } from "../../core/read-json.ts";
import { duplicate, forbidden, indexPath, notFound } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import type { PodParts } from "./validate-container.ts";
import { validateContainer } from "./validate-container.ts";

// Source of this file: Kubernetes, pkg/apis/core/validation.

/** The fields of a container that one in a running Pod can have: it promises nothing to the Pod, and gets no resources. */
const allowed: ReadonlySet<string> = new Set([
  ...["name", "image", "command", "args", "workingDir", "env", "envFrom", "volumeMounts", "volumeDevices"],
  ...["terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy", "securityContext"],
  ...["stdin", "stdinOnce", "tty", "targetContainerName"],
]);
const detail = "cannot be set for an Ephemeral Container";

/** What is wrong with containers that were put into a running Pod. Each has a name of its own among all containers. */
export function validateEphemeralContainers(spec: JsonObject, path: string, parts: PodParts): FieldError[] {
  const others = new Set(
    ["containers", "initContainers"].flatMap((list) => objectsAt(spec, list).map((one) => textAt(one, "name") ?? "")),
  );
  const names = new Set(others);
  return objectsAt(spec, "ephemeralContainers").flatMap((container, index) => {
    const item = indexPath(`${path}.ephemeralContainers`, index);
    const name = textAt(container, "name") ?? "";
    const isRepeated = names.has(name);
    names.add(name);
    const target = textAt(container, "targetContainerName") ?? "";
    return [
      ...validateContainer(container, item, parts),
      ...(isRepeated ? [duplicate(`${item}.name`, name)] : []),
      ...(target === "" || others.has(target) ? [] : [notFound(`${item}.targetContainerName`, target)]),
      ...Object.keys(container)
        .filter((field) => !allowed.has(field) && !isEmpty(container[field]))
        .map((field) => forbidden(`${item}.${field}`, detail)),
      ...validateMountedPaths(container, `${item}.volumeMounts`),
    ];
  });
}

/** What is mounted for a path within a volume stays mounted until the Pod ends. */
function validateMountedPaths(container: JsonObject, path: string): FieldError[] {
  return objectsAt(container, "volumeMounts").flatMap((mount, index) =>
    ["subPath", "subPathExpr"]
      .filter((name) => (textAt(mount, name) ?? "") !== "")
      .map((name) => forbidden(`${indexPath(path, index)}.${name}`, detail)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && (value === null || Object.keys(value).length === 0);
}
