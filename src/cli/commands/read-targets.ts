import { AppError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { printable } from "../../core/printable.ts";
import type { KindNames } from "../../model/kind-names.ts";
import { allKindNames, findKind, namesOfKinds } from "../../model/kind-names.ts";
import type { KubeObject, ResourceType } from "../../model/kubernetes.ts";
import { resourceTypeOf } from "../../model/resource-types.ts";

/** A kind of the hub, and names of its objects; none means all. */
export interface Targets {
  readonly type: ResourceType;
  readonly kind: KindNames;
  /** `name` or `workspace/name`. */
  readonly names: readonly string[];
}

/**
 * What arguments name, as kubectl reads them: `clusters`, `cluster eu-1 eu-2`, `cluster/eu-1 cluster/eu-2`.
 * @throws E_USAGE for an unknown kind, a kind that is only in files, and several kinds
 */
export function readTargets(args: readonly string[]): Targets {
  const [first = "", ...rest] = args;
  const [kindText = ""] = first.split("/");
  const kind = findKind(kindText);
  if (kind === undefined) throw unknownKind(kindText, first);
  const type = resourceTypeOf({ apiVersion: "rollcall.dev/v1alpha1", kind: kind.kind });
  if (type === undefined) {
    throw new AppError("E_USAGE", `no object of kind ${kind.kind} is on a hub: git has it, in files`);
  }
  if (!first.includes("/")) return { type, kind, names: rest };
  const names = args.map((arg) => {
    const [text = "", ...name] = arg.split("/");
    if (findKind(text) === kind && name.length > 0 && !name.includes("")) return name.join("/");
    throw new AppError("E_USAGE", `${printable(arg)} is not of the form ${kindText}/NAME`);
  });
  return { type, kind, names };
}

/** The parts of `name` or `workspace/name`; undefined for any other form. */
export function readName(text: string): { readonly name: string; readonly namespace?: string } | undefined {
  const [name = "", namespace, ...more] = text.split("/").reverse();
  return more.length > 0 ? undefined : { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Whether one of the names is that of this object. */
export function isNamed({ metadata: { namespace, name } }: KubeObject, { names }: Pick<Targets, "names">): boolean {
  return names.includes(name) || names.includes(`${namespace}/${name}`);
}

/**
 * The objects of these names; all where there is no name.
 * @throws E_KUBE_NOT_FOUND for a name that there is none of
 */
export function pickObjects(objects: readonly KubeObject[], { kind, names }: Targets): readonly KubeObject[] {
  if (names.length === 0) return objects;
  return names.flatMap((wanted) => {
    const isQualified = wanted.includes("/");
    const nameOf = ({ metadata }: KubeObject): string =>
      isQualified ? `${metadata.namespace}/${metadata.name}` : metadata.name;
    const found = objects.filter((object) => nameOf(object) === wanted);
    if (found.length > 0) return found;
    const near = nearestName(wanted, objects.map(nameOf));
    const hint =
      near === undefined ? `; rollcall get ${kind.plural} lists those that there are` : `, did you mean ${near}?`;
    throw new AppError("E_KUBE_NOT_FOUND", `the hub has no ${kind.kind} ${printable(wanted)}${hint}`, {
      recovery: "stalled",
    });
  });
}

function unknownKind(text: string, given: string): AppError {
  const near = nearestName(text, namesOfKinds);
  const meant = near === undefined ? undefined : findKind(near)?.plural;
  const kinds = allKindNames.filter(({ kind }) => isOnHub(kind)).map(({ plural }) => plural);
  const hint = meant === undefined ? `there are ${kinds.join(", ")}` : `did you mean ${meant}?`;
  const form = `the name of an object follows its kind, as in cluster/${mayBeName(given) ? given : "prod-eu-1"}`;
  return new AppError("E_USAGE", `there is no kind ${printable(text)}; ${hint} (${form})`);
}

/** `name` or `workspace/name`. */
function mayBeName(text: string): boolean {
  return text.length <= 317 && /^[a-z0-9][-.a-z0-9]*(?:[/][a-z0-9][-.a-z0-9]*)?$/u.test(text);
}

function isOnHub(kind: string): boolean {
  return resourceTypeOf({ apiVersion: "rollcall.dev/v1alpha1", kind }) !== undefined;
}
