import type { JsonObject } from "../../core/json.ts";
import { objectAt, objectsAt, textAt } from "../../core/read-json.ts";

/** A Pod as the rules see it. */
export interface PodParts {
  readonly spec: JsonObject;
  /** `spec.securityContext` */
  readonly security: JsonObject;
  /** Init containers, containers, then ephemeral ones. */
  readonly containers: readonly ContainerParts[];
  /** Controls of Linux do not apply then; before 1.25 there was no such exception. */
  readonly isWindows: boolean;
  /** The minor version of Kubernetes whose rules are asked for; Infinity for the latest. */
  readonly minor: number;
}

export interface ContainerParts {
  readonly name: string;
  readonly container: JsonObject;
  /** Its `securityContext` */
  readonly security: JsonObject;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export interface PodSecurityRule {
  readonly name: string;
  /** The lowest level that has the rule. */
  readonly level: "baseline" | "restricted";
  /** The rule of baseline that this one is stricter than. */
  readonly replaces?: string;
  /** The minor version of Kubernetes that brought it. Default 0. */
  readonly sinceMinor?: number;
  /** Undefined: the Pod keeps the rule. */
  readonly check: (pod: PodParts) => Violation | undefined;
}

export function podPartsOf(pod: unknown, minor: number): PodParts {
  const spec = objectAt(pod, "spec") ?? {};
  const lists = ["initContainers", "containers", "ephemeralContainers"];
  const containers = lists.flatMap((list) => objectsAt(spec, list));
  return {
    spec,
    security: objectAt(spec, "securityContext") ?? {},
    containers: containers.map((container) => ({
      name: textAt(container, "name") ?? "",
      container,
      security: objectAt(container, "securityContext") ?? {},
    })),
    isWindows: minor >= 25 && textAt(spec, "os", "name") === "windows",
    minor,
  };
}

/** `"a", "b"` */
export function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

/** Each text once, in order. */
export function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

export function plural(word: string, count: number): string {
  return count === 1 ? word : `${word}s`;
}

/** `container "a"` or `containers "a", "b"` */
export function containersNamed(containers: readonly Pick<ContainerParts, "name">[]): string {
  return `${plural("container", containers.length)} ${quoted(containers.map(({ name }) => name))}`;
}

/** Who set something that the rule forbids: `pod`, `container "a"`, or `pod and container "a"`. */
export function settersNamed(isPod: boolean, containers: readonly Pick<ContainerParts, "name">[]): string {
  const names = containers.length === 0 ? [] : [containersNamed(containers)];
  return [...(isPod ? ["pod"] : []), ...names].join(" and ");
}
