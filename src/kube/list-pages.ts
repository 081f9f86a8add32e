import { isAppError } from "../core/errors.ts";
import type { KubeObject, ResourceType } from "../model/kubernetes.ts";
import type { ListOptions, ListResult } from "./kube.ts";
import { makeError } from "./kube-errors.ts";
import type { Operation } from "./kube-errors.ts";
import { parseListPage } from "./parse-objects.ts";
import type { ListPage } from "./parse-objects.ts";
import { collectionPath, withQuery } from "./resource-path.ts";
import { sendRequest } from "./send-request.ts";
import type { SenderOptions } from "./send-request.ts";

/** A page that is too large is asked for again with so many times fewer objects. */
const smallerPages = 8;
/** A list whose pages outlive the server's memory of their version is begun anew this often. */
const maxRestarts = 2;
/**
 * Of all pages of a list together, as a multiple of the largest page. A page counts as 64 KiB at least, so that empty pages
 * with ever new continue tokens end, too.
 */
const listBytesInPages = 64;
const leastPageBytes = 64 * 1024;

export interface PageLimits {
  /** Objects of a page. */
  readonly pageSize: number;
  /** Of a page's text; all pages of a list may have 64 times as much. */
  readonly maximumBytes: number;
}

/** KubeApi.list. */
export async function listPages(
  sender: SenderOptions,
  limits: PageLimits,
  type: ResourceType,
  options: ListOptions,
): Promise<ListResult> {
  const { namespace } = options;
  const operation: Operation = { verb: "list", object: namespace ? `${type.kind} in ${namespace}` : type.kind };
  for (let restarts = 0; ; restarts++) {
    try {
      return await listOnce(sender, limits, { type, options, operation });
    } catch (error) {
      if (restarts >= maxRestarts || !isAppError(error, "E_KUBE_GONE")) throw error;
    }
  }
}

interface ListRequest {
  readonly type: ResourceType;
  readonly options: ListOptions;
  readonly operation: Operation;
}

/** All pages of one version; E_KUBE_GONE when the server could not keep to it. */
async function listOnce(
  sender: SenderOptions,
  limits: PageLimits,
  { type, options, operation }: ListRequest,
): Promise<ListResult> {
  const { namespace, labelSelector, fieldSelector, hold = (object) => object, signal } = options;
  const items: KubeObject[] = [];
  let continueToken: string | undefined;
  let version: string | undefined;
  let listBytes = 0;
  const parsePage = (text: string): ListPage => {
    listBytes += Math.max(leastPageBytes, text.length);
    return parseListPage(text, type, operation);
  };
  const readPage = async (pageSize: number): Promise<ListPage> => {
    const query = { limit: pageSize, continue: continueToken, labelSelector, fieldSelector };
    const path = withQuery(collectionPath(type, namespace), query);
    const { maximumBytes } = limits;
    const request = { method: "GET", path, pool: "work", maximumBytes, signal } as const;
    try {
      return await sendRequest(sender, operation, request, parsePage);
    } catch (error) {
      if (pageSize === 1 || !isAppError(error) || error.data["isTooLarge"] !== true) throw error;
      return readPage(Math.max(1, Math.floor(pageSize / smallerPages)));
    }
  };
  do {
    const page = await readPage(limits.pageSize);
    version ??= page.resourceVersion;
    if (page.resourceVersion !== version) {
      throw makeError("E_KUBE_GONE", operation, "the pages of the list are of different versions");
    }
    for (const item of page.items) items.push(hold(item));
    if (page.continueToken !== undefined && page.continueToken === continueToken) {
      throw makeError("E_KUBE_SERVER", operation, "the list never ends: two pages have the same continue token");
    }
    if (listBytes > limits.maximumBytes * listBytesInPages) {
      const mebibytes = (limits.maximumBytes * listBytesInPages) >> 20;
      throw makeError("E_KUBE_SERVER", operation, `the list never ends: its pages have more than ${mebibytes} MiB`);
    }
    continueToken = page.continueToken;
  } while (continueToken !== undefined);
  return { items, resourceVersion: version };
}
