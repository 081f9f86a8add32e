import type { KubeObject } from "../model/kubernetes.ts";
import type { JoinProtocol, OutsideType } from "../join/join.ts";
import type { ProtocolName } from "../model/generated/protocol.ts";

/** Two protocols may read the same objects, or one all objects of a kind and another a part: an object is watched once. */
export function outsideTypesOf(protocols: ReadonlyMap<ProtocolName, JoinProtocol>): readonly OutsideType[] {
  const all = [...protocols.values()].flatMap(({ outsideTypes }) => outsideTypes);
  const isEverything = ({ labelSelector, namespace }: OutsideType): boolean =>
    labelSelector === "" && namespace === undefined;
  const whole = new Set(all.filter(isEverything).map(({ type }) => type));
  const needed = all.filter((outside) => isEverything(outside) || !whole.has(outside.type));
  return [...new Map(needed.map((outside) => [JSON.stringify(outside), outside])).values()];
}

/** Whether a watch with this selector (`key`, `key=value`, or empty for all) lists an object. */
export function isSelected(object: KubeObject | undefined, labelSelector: string): boolean {
  if (object === undefined) return false;
  const [key = "", value] = labelSelector.split("=");
  const label = object.metadata.labels?.[key];
  return key === "" || (label !== undefined && (value ?? label) === label);
}
