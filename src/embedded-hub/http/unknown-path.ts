import { pathNotFound } from "../failures/failures.ts";
import type { ResourceDefinition } from "../operations/resource-definition.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { splitPath } from "../request/request-info.ts";
import type { Reply } from "./reply.ts";

const pageNotFound: Reply = {
  statusCode: 404,
  contentType: "text/plain; charset=utf-8",
  body: "404 page not found\n",
  headers: { "x-content-type-options": "nosniff" },
};

/**
 * The answer to a path that is not served: below a built-in group a Status, which this throws; elsewhere a page of text,
 * as kube-apiserver's router has it.
 */
export function answerUnknownPath(info: RequestInfo, definitions: readonly ResourceDefinition[]): Reply {
  const [root, group] = splitPath(info.path);
  const isBuiltIn = definitions.some((one) => one.group === group && group !== "" && !one.isCustom);
  const isOpenId = root === ".well-known" && group === "openid-configuration";
  if (root === "api" || root === "version" || isOpenId || (root === "apis" && isBuiltIn)) throw pathNotFound();
  return pageNotFound;
}
