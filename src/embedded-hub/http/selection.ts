import type { KubeObject } from "../../model/kubernetes.ts";
import { badRequest } from "../failures/failures.ts";
import type { Selection, Target } from "../operations/operations.ts";
import { parseFieldSelector, requiredName } from "../selectors/field-selector.ts";
import { parseLabelSelector } from "../selectors/label-selector.ts";

/** The objects that a list, watch or deletecollection is about. A `name` in the path selects like a field selector. */
export function readSelection(
  query: URLSearchParams,
  { definition, namespace, name }: Omit<Target, "name"> & { readonly name?: string },
): Selection {
  const labelText = query.get("labelSelector") ?? "";
  const fieldText = query.get("fieldSelector") ?? "";
  let only = name;
  const tests: ((object: KubeObject) => boolean)[] = [];
  let bytes: readonly Buffer[] = [];
  if (labelText !== "") {
    const { matches, texts } = parseLabelSelector(labelText);
    tests.push((object) => matches(object.metadata.labels));
    bytes = texts.map((text) => Buffer.from(text, "utf8"));
  }
  if (fieldText !== "") {
    const { matches, terms } = parseFieldSelector(fieldText, definition);
    if (name !== undefined && requiredName(terms) !== name) {
      throw badRequest("fieldSelector metadata.name doesn't match requested name");
    }
    if (terms.length > 0) tests.push(matches);
    only ??= requiredName(terms);
  }
  if (name !== undefined) tests.push((object) => object.metadata.name === name);
  const place = namespace === undefined ? {} : { namespace };
  if (tests.length === 0) return place;
  return {
    ...place,
    ...(only === undefined ? {} : { name: only }),
    matches: (object) => tests.every((test) => test(object)),
    ...(bytes.length === 0 ? {} : { mayMatch: (json: Buffer) => bytes.every((each) => json.includes(each)) }),
  };
}
