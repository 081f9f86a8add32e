import { ownValue } from "../own-value.ts";
import { isIPv6 } from "node:net";
import { parseTime } from "./rfc3339.ts";

/** Formats that custom kinds may use, without dashes; others are ignored. Source: Kubernetes 1.34, CRD formats. */
const validators: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/u.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => isSloppyIpv4(text) || (isPlainIpv6(text) && text.includes(".")),
  ipv6: isPlainIpv6,
  cidr: isCidr,
  mac: isMac,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/iu.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/iu.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/iu.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/iu.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]\d{2}[- ]\d{4}$/u.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/u.test(text),
  rgbcolor: isRgbColor,
  byte: isBase64,
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
};

/** True when an API server checks texts of this format; it ignores all others. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(validators, normalize(format));
}

/** True for texts that fit the format, and for formats that are not checked. */
export function fitsFormat(format: string, text: string): boolean {
  return ownValue(validators, normalize(format))?.(text) ?? true;
}

function normalize(format: string): string {
  return format.replaceAll("-", "");
}

/** An absolute path or URI, as a request line has it. Source: Go, net/url ParseRequestURI. */
function isRequestUri(text: string): boolean {
  if (text === "" || hasControlCharacters(text)) return false;
  if (text === "*") return true;
  const rest = /^[a-zA-Z][a-zA-Z0-9+.-]*:(?<rest>.*)$/su.exec(text)?.groups?.["rest"];
  if (rest?.startsWith("/") === false) return true;
  if (/%(?![0-9a-fA-F]{2})/u.test(text.split("?")[0] ?? "")) return false;
  if (rest === undefined) return text.startsWith("/");
  const authority = /^\/\/([^/?]*)/u.exec(rest)?.[1] ?? "";
  const [host = "", ...user] = authority.split("@").reverse();
  return user.every((part) => /^[\w\-.:~!$&'()*+,;=%]*$/u.test(part)) && isUriHost(host);
}

/** A host, with a port or without: Go's lists of characters have some that no RFC has. */
function isUriHost(host: string): boolean {
  const address = /^\[(?<address>[^\]%]*)(?:%25[^[\]]+)?\](?::\d*)?$/u.exec(host)?.groups?.["address"];
  if (address !== undefined) return isIPv6(address);
  return /^(?:[\w\-.~!$&'()*+,;=:\]<>"]|%25|%[89a-fA-F]|[^\0-\x7f])*$/u.test(host) && /^[^:]*$|:\d*$/u.test(host);
}

function hasControlCharacters(text: string): boolean {
  for (const character of text) if (character < " " || character === "\u007f") return true;
  return false;
}

/** `a@b` or `Name <a@b>`. */
function isEmail(text: string): boolean {
  const bracketed = /^(?:"(?:[^"\\]|\\.)*"|[^<>"\\()[\]:;@,])*<([^<>]+)>\s*$/u.exec(text)?.[1];
  const address = bracketed ?? text.trim();
  const at = address.lastIndexOf("@");
  if (at <= 0) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const atom = /^[^\s()<>[\]:;@\\,."]+$/u;
  const isLocal = /^"(?:[^"\\]|\\.)*"$/u.test(local) || local.split(".").every((part) => atom.test(part));
  const isLiteral = domain.startsWith("[") && isSloppyIpv4(domain.slice(1, -1)) && domain.endsWith("]");
  return isLocal && (isLiteral || domain.split(".").every((part) => atom.test(part)));
}

function isHostname(text: string): boolean {
  if (text === "" || Buffer.byteLength(text) > 255) return false;
  const parts = text.split(".");
  if (parts.some((part) => Buffer.byteLength(part) > 63)) return false;
  if (parts.length === 1) return /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u.test(text);
  const last = parts.pop() ?? "";
  const label = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
  return /^[a-zA-Z\p{L}]{2,63}$/u.test(last) && parts.every((part) => label.test(part));
}

/** Leading zeros are let through, as API servers always did. */
function isSloppyIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^0*\d{1,3}$/u.test(part) && Number(part) <= 255);
}

function isPlainIpv6(text: string): boolean {
  return !text.includes("%") && isIPv6(text);
}

function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d+$/u.test(bits)) return false;
  if (isSloppyIpv4(address)) return Number(bits) <= 32;
  return isPlainIpv6(address) && Number(bits) <= 128;
}

function isMac(text: string): boolean {
  const hex = "[0-9a-fA-F]";
  const octets = (separator: string): boolean =>
    [6, 8, 20].some((count) => new RegExp(`^${hex}{2}(?:${separator}${hex}{2}){${count - 1}}$`, "u").test(text));
  const dotted = [3, 4, 10].some((count) => new RegExp(`^${hex}{4}(?:\\.${hex}{4}){${count - 1}}$`, "u").test(text));
  return octets(":") || octets("-") || dotted;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/gu, "");
  if (!/^(?:\d{9}X|\d{10})$/u.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/gu, "");
  if (!/^\d{13}$/u.test(digits)) return false;
  const sum = [...digits]
    .slice(0, 12)
    .reduce((total, digit, index) => total + (index % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/gu, "");
  const pattern =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/u;
  if (!pattern.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value >= 10 ? (value % 10) + 1 : value);
  }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/u.exec(text);
  return match !== null && match.slice(1).every((part) => /^(?:0|[1-9]\d*)$/u.test(part) && Number(part) <= 255);
}

function isBase64(text: string): boolean {
  return text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/u.test(text);
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && !("error" in parseTime(`${text}T00:00:00Z`));
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time);
  if (match === null) return false;
  const [hour, minute, second] = match.slice(1).map(Number);
  return (hour ?? 99) <= 23 && (minute ?? 99) <= 59 && (second ?? 99) <= 59;
}

/** A Go duration, or one in the notation of Scala (`22 ns`, `3 days`). */
function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u.test(text)) return true;
  const units = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/u;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/gu)].some((match) => units.test((match[1] ?? "").toLowerCase()));
}
