import { goDurationFault } from "../../core/formats/go-duration.ts";
import { quoteText } from "../../core/formats/go-text.ts";
import { isTimeZone } from "../../core/formats/time-zones.ts";

// Schedules of CronJobs, with the messages of the parser that kube-apiserver uses.

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];
const descriptors = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/** What is wrong with a schedule; undefined when nothing is. */
export function faultOfSchedule(schedule: string): string | undefined {
  const zone = /^(?:CRON_)?TZ=(\S*)\s+/u.exec(schedule);
  const [, name = ""] = zone ?? [];
  if (zone !== null && !isTimeZone(name)) return `provided bad location ${name}: unknown time zone ${name}`;
  const text = zone === null ? schedule : schedule.slice(zone[0].length).trim();
  if (text.startsWith("@")) return faultOfDescriptor(text);
  const parts = text.split(/\s+/u).filter((part) => part !== "");
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  for (const [index, field] of fields.entries()) {
    for (const range of (parts[index] ?? "").split(",").filter((one) => one !== "")) {
      const fault = faultOfRange(range, field);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function faultOfDescriptor(text: string): string | undefined {
  if (!text.startsWith("@every ")) return descriptors.includes(text) ? undefined : `unrecognized descriptor: ${text}`;
  const fault = goDurationFault(text.slice("@every ".length));
  return fault === undefined ? undefined : `failed to parse duration ${text}: ${fault}`;
}

function faultOfRange(range: string, { min, max, names }: Field): string | undefined {
  const [whole = "", step, ...moreSteps] = range.split("/");
  const [low = "", high, ...moreHighs] = whole.split("-");
  const isAll = low === "*" || low === "?";
  const start = isAll ? min : numberOf(low, names);
  if (typeof start === "string") return start;
  if (!isAll && moreHighs.length > 0) return `too many hyphens: ${range}`;
  const end =
    isAll || (high === undefined && step !== undefined) ? max : high === undefined ? start : numberOf(high, names);
  if (typeof end === "string") return end;
  if (moreSteps.length > 0) return `too many slashes: ${range}`;
  const width = step === undefined ? 1 : numberOf(step, []);
  if (typeof width === "string") return width;
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${range}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return width === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** A number or the name of one; else what is wrong. */
function numberOf(text: string, names: readonly string[]): number | string {
  const at = names.indexOf(text.toLowerCase());
  if (at >= 0) return names === months ? at + 1 : at;
  if (!/^[-+]?\d+$/u.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteText(text)}: invalid syntax`;
  }
  const value = Number(text);
  if (!Number.isSafeInteger(value)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteText(text)}: value out of range`;
  }
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
