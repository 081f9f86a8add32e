import { textAt } from "../core/read-json.ts";
import { trimEndOf } from "../core/trim-characters.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { isArgoSecret } from "./secret-users.ts";

/**
 * The address by which Argo CD distinguishes clusters, in one form for all spellings. Argo CD itself ignores slashes at
 * its end alone.
 */
export function serverOf(text: string): string {
  return trimEndOf(URL.canParse(text) ? new URL(text).href : text, "/");
}

/** The address in a Secret of Argo CD; undefined for another object. */
export function serverOfSecret(object: KubeObject): string | undefined {
  if (!isArgoSecret(object)) return undefined;
  return serverOf(Buffer.from(textAt(object, "data", "server") ?? "", "base64").toString("utf8"));
}
