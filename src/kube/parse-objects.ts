import { isJsonObject } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { textAt } from "../core/read-json.ts";
import { parseJson } from "../core/parse-json.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import { apiVersionOf } from "../model/kubernetes.ts";
import { makeError } from "./kube-errors.ts";
import type { Operation } from "./kube-errors.ts";

export interface ListPage {
  readonly items: KubeObject[];
  readonly resourceVersion: string;
  /** Where the next page begins; absent on the last. */
  readonly continueToken: string | undefined;
}

/** One object as the server answered it. Throws E_KUBE_SERVER when it is none. */
export function parseObject(text: string, operation: Operation): KubeObject {
  const parsed = parseAnswer(text, operation);
  if (textAt(parsed, "kind") === undefined || textAt(parsed, "apiVersion") === undefined) {
    throw makeError("E_KUBE_SERVER", operation, "the answer is not an object of Kubernetes");
  }
  // Reviews are answered without metadata.
  const metadata = isJsonObject(parsed["metadata"]) ? parsed["metadata"] : {};
  return { ...parsed, metadata } as unknown as KubeObject;
}

/** One page of a list. Throws E_KUBE_SERVER when it is not the whole page of a list: it never counts as an empty one. */
export function parseListPage(text: string, type: ResourceType, operation: Operation): ListPage {
  const parsed = parseAnswer(text, operation);
  const { items } = parsed;
  const resourceVersion = textAt(parsed, "metadata", "resourceVersion");
  const isList = textAt(parsed, "kind")?.endsWith("List") === true;
  if (!isList || !Array.isArray(items) || resourceVersion === undefined) {
    throw makeError("E_KUBE_SERVER", operation, "the answer is not a list of Kubernetes");
  }
  const continueToken = textAt(parsed, "metadata", "continue");
  return {
    items: items.map((item: unknown) => parseItem(item, type, operation)),
    resourceVersion,
    continueToken: continueToken === "" ? undefined : continueToken,
  };
}

/** An object inside a list or an event; lists of built-in kinds leave out kind and apiVersion. */
export function parseItem(item: unknown, type: ResourceType, operation: Operation): KubeObject {
  if (!isJsonObject(item) || textAt(item, "metadata", "name") === undefined) {
    throw makeError("E_KUBE_SERVER", operation, "an item of the answer has no name");
  }
  return { apiVersion: apiVersionOf(type), kind: type.kind, ...item } as unknown as KubeObject;
}

/**
 * Any writer may nest what nothing here reads, such as managed fields, as deep as an API server accepts. It is emptied, since one
 * object must not make a list or a watch of all others unreadable. @throws E_KUBE_SERVER for what is no JSON object
 */
export function parseAnswer(text: string, operation: Operation): JsonObject {
  const parsed = parseJson(text, { deeper: "emptied" });
  if (isJsonObject(parsed)) return parsed;
  throw makeError("E_KUBE_SERVER", operation, "the answer is not a whole JSON object");
}
