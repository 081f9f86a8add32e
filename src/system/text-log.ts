import pc from "picocolors";
import { isJsonObject } from "../core/json.ts";
import { printable } from "../core/printable.ts";
import { textAt } from "../core/read-json.ts";
import { cutWith } from "../core/trim-characters.ts";
import type { LogLine } from "./line-log.ts";

const longestValue = 300;
const levelColours = { debug: "dim", info: "green", warn: "yellow", error: "red" } as const;

/**
 * A log line for people: time of day (UTC), level, message, then the fields. An error is its code and message; a value that is
 * longer than 300 characters is cut. Control characters are escaped.
 */
export function renderTextLine(
  { level, timeMs, message, fields }: LogLine,
  { isColour }: { readonly isColour: boolean },
): string {
  const colours = pc.createColors(isColour);
  const time = new Date(timeMs).toISOString().slice(11, 19);
  const parts = flat(fields).map(([key, value]) => `${colours.dim(`${printable(key)}=`)}${shown(value)}`);
  const name = level.toUpperCase().padEnd(5);
  return [colours.dim(time), colours[levelColours[level]](name), printable(message), ...parts].join(" ");
}

/** Each field that has a value; those of an object that is no error have the object's name before theirs: `sizes.create`. */
function flat(fields: Readonly<Record<string, unknown>>, prefix = ""): (readonly [string, unknown])[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const isPlain = !isJsonObject(value) || textAt(value, "message") !== undefined;
    return isPlain ? [[`${prefix}${key}`, value] as const] : flat(value, `${prefix}${key}.`);
  });
}

function shown(value: unknown): string {
  const text = plainText(value);
  const cut = cutWith("...", text, longestValue);
  return printable(/^[^\s"=]+$/u.test(cut) ? cut : JSON.stringify(cut));
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  const [code, message] = [textAt(value, "code"), textAt(value, "message")];
  if (isJsonObject(value) && message !== undefined) return code === undefined ? message : `${code}: ${message}`;
  return JSON.stringify(value) ?? "";
}
