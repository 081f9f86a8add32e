import { digestJson } from "../core/digest.ts";
import { smallestOf } from "../core/extremes.ts";
import type { JsonObject } from "../core/json.ts";
import { isJsonObject } from "../core/json.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { describeRef } from "../model/kubernetes.ts";
import type { FieldChange, PlannedChange } from "../model/plan.ts";

/** A field that git's writer reverted to the same value again and again. */
export interface FieldFight {
  /** `Cluster/fleet/eu-1`. */
  readonly object: string;
  readonly path: string;
  /** The field managers that changed it, as managedFields name them; empty when the hub does not report them. */
  readonly managers: readonly string[];
  /** How often the same value was written again. */
  readonly reverts: number;
  readonly valueDigest: string;
  /** Time of the last revert, by a monotonic clock. */
  readonly lastRevertMs: number;
}

/** By object and path. */
export type FieldFights = ReadonlyMap<string, FieldFight>;

/** A change that was carried out, and its object as it was before. */
export interface Reverted {
  readonly change: PlannedChange;
  readonly before: KubeObject | undefined;
}

/** So many reverts of one field to one value are a fight. */
const fightReverts = 3;
const firstDelayMs = 30_000;
const longestDelayMs = 30 * 60_000;
/** Reverts that are further apart are no fight. */
const windowMs = 10 * 60_000;
const mostFields = 10_000;

/**
 * Counts reverts: writes of a field of an unchanged desired value. `isApplied`: the commit was on the hub before, so
 * that the first write is a revert too. A field that no manager changed for its delay is forgotten.
 */
export function recordReverts(
  fights: FieldFights,
  done: readonly Reverted[],
  { nowMs, isApplied }: { readonly nowMs: number; readonly isApplied: boolean },
): FieldFights {
  const next = new Map([...fights].filter(([, fight]) => nowMs < endMs(fight)));
  for (const { change, before } of done) {
    if (change.kind !== "update" || before === undefined) continue;
    const object = describeRef(change.ref);
    for (const { path, to, from } of change.fields) {
      const key = keyOf(object, path);
      const valueDigest = to === undefined ? "" : digestJson(to);
      const known = next.get(key);
      const isRevert = isApplied || known?.valueDigest === valueDigest;
      next.delete(key);
      // A missing or surplus field has no value, and so no owner.
      const managers = from === undefined ? (known?.managers ?? []) : managersOf(before, path, change.manager);
      const reverts = isRevert ? (known?.valueDigest === valueDigest ? known.reverts : 0) + 1 : 0;
      next.set(key, { object, path, managers, reverts, valueDigest, lastRevertMs: nowMs });
    }
  }
  return new Map([...next].slice(-mostFields));
}

/** The fights that go on, the longest first. */
export function currentFights(fights: FieldFights, nowMs: number): readonly FieldFight[] {
  return [...fights.values()]
    .filter((fight) => fight.reverts >= fightReverts && nowMs < endMs(fight))
    .sort((a, b) => b.reverts - a.reverts);
}

/** True for an update that changes nothing but fields that are fought over and were reverted too short a time ago. */
export function isPostponed(change: PlannedChange, fights: FieldFights, nowMs: number): boolean {
  if (change.kind !== "update" || change.former || change.patchAnnotations) return false;
  return isEachFought(change, fights, (fight) => nowMs < fight.lastRevertMs + delayMs(fight));
}

/** True for an update that changes nothing but fields that are fought over and were reverted less than `ms` ago. */
export function isRevertedWithin(
  change: PlannedChange,
  fights: FieldFights,
  { nowMs, ms }: { readonly nowMs: number; readonly ms: number },
): boolean {
  return isEachFought(change, fights, (fight) => nowMs < fight.lastRevertMs + ms);
}

/** True for an update of fields each of which is fought over, by a fight that `holds`. */
function isEachFought(change: PlannedChange, fights: FieldFights, holds: (fight: FieldFight) => boolean): boolean {
  if (change.kind !== "update" || change.fields.length === 0) return false;
  return change.fields.every((field) => {
    const fight = fightOver(change, field, fights);
    return fight !== undefined && isContinued(fight, field) && holds(fight);
  });
}

/** Milliseconds until the next fight may be retried; undefined when there is none. */
export function nextFightInMs(fights: FieldFights, nowMs: number): number | undefined {
  const times = currentFights(fights, nowMs).map((fight) => {
    const retryMs = fight.lastRevertMs + delayMs(fight);
    return (retryMs > nowMs ? retryMs : endMs(fight)) - nowMs;
  });
  return times.length === 0 ? undefined : smallestOf(times);
}

/** Names the managers and fields of a fight, and what to do. */
export function describeFight(fight: FieldFight): string {
  const { object, path, reverts } = fight;
  return `${writerOf(fight)} keeps changing ${path} of ${object}; Rollcall reverted it ${reverts} times and now waits longer each time. Stop the other writer, or delete the field from the file.`;
}

/** The same of an object that the hub makes for a cluster or a token. The text is the same each time. */
export function describeChildFight(fight: FieldFight): string {
  const { object, path } = fight;
  return `${writerOf(fight)} keeps changing ${path} of ${object}; Rollcall reverts it each time. Stop the other writer.`;
}

function writerOf({ managers }: FieldFight): string {
  return managers.length === 0 ? "Another writer" : `Field manager ${managers.join(", ")}`;
}

function fightOver(change: PlannedChange, { path }: FieldChange, fights: FieldFights): FieldFight | undefined {
  return fights.get(keyOf(describeRef(change.ref), path));
}

/** True when the fight is over the value that the change writes. */
function isContinued(fight: FieldFight, { to }: FieldChange): boolean {
  return fight.reverts >= fightReverts && fight.valueDigest === (to === undefined ? "" : digestJson(to));
}

/** Twice as long after each further revert. */
function delayMs({ reverts }: FieldFight): number {
  return reverts < fightReverts ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (reverts - fightReverts));
}

/** A revert that lasted as long again as the wait before it has ended the fight. */
function endMs(fight: FieldFight): number {
  return fight.lastRevertMs + (fight.reverts < fightReverts ? windowMs : 2 * delayMs(fight));
}

function keyOf(object: string, path: string): string {
  return `${object} ${path}`;
}

/** Managers other than `own` that own the field, or the list or map around it. */
function managersOf(object: KubeObject, path: string, own: string): string[] {
  const names = (object.metadata.managedFields ?? [])
    .filter(({ manager, fieldsV1 }) => manager !== own && isJsonObject(fieldsV1) && isOwned(fieldsV1, "", path))
    .flatMap(({ manager }) => manager ?? []);
  return [...new Set(names)].sort();
}

function isOwned(fields: JsonObject, place: string, path: string): boolean {
  return Object.entries(fields).some(([key, below]) => {
    if (!key.startsWith("f:")) return false;
    const name = key.slice(2);
    const isMap = place === "metadata.labels" || place === "metadata.annotations";
    const here = isMap ? `${place}[${name}]` : place === "" ? name : `${place}.${name}`;
    if (here === path) return true;
    if (!path.startsWith(`${here}.`) && !path.startsWith(`${here}[`)) return false;
    return isJsonObject(below) && (Object.keys(below).length === 0 || isOwned(below, here, path));
  });
}
