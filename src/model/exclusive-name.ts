import { ownValue } from "../core/own-value.ts";
import type { KubeObject, ObjectRef } from "./kubernetes.ts";

/** A name that a member must own alone. */
export interface ExclusiveName extends ObjectRef {
  /**
   * Labels by which an object of another manager shows that it was made for such a member: without them no file takes it over,
   * whatever it declares. Default: none are asked for, as the name itself is that of a member.
   */
  readonly labelsToAdopt?: Readonly<Record<string, string>>;
}

/** The labels, as `key=value`, that an object lacks to be taken over. */
export function labelsMissing(
  { metadata: { labels = {} } }: KubeObject,
  labelsToAdopt: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(labelsToAdopt)
    .filter(([key, value]) => ownValue(labels, key) !== value)
    .map((label) => label.join("="));
}
