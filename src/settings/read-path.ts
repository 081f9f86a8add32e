import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AppError } from "../core/errors.ts";
import { trimEndOf } from "../core/trim-characters.ts";
import { homeFolder } from "../system/home-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A file or folder of this machine as a user writes it: `~` and `~/...` are the home folder (HOME, or the system's),
 * `file://` is an address, and slashes at the end mean nothing. A path from the current folder stays one.
 * @throws E_USAGE for a file address with a host, and for `~` of a user without a home folder
 */
export function readPath(text: string, environment: Environment): string {
  if (/^file:\/\//iu.test(text)) return trimSlashes(pathOfAddress(text));
  if (text !== "~" && !text.startsWith("~/")) return trimSlashes(text);
  const home = homeFolder(environment);
  if (home === undefined) throw new AppError("E_USAGE", `${text}: this user has no home folder; write the whole path`);
  return trimSlashes(join(home, text.slice(1)));
}

/**
 * A repository as a user writes it: an https or ssh address, or a folder as in {@link readPath}, of which the whole path is
 * taken. Another process, and the hub, would read a path from the current folder in another way.
 */
export function readRepository(text: string, environment: Environment): string {
  return text === "" || !isLocalPath(text) ? text : resolve(readPath(text, environment));
}

/** True for a folder, by its path or a file address; false for an https or ssh address. */
export function isLocalPath(url: string): boolean {
  return /^file:\/\//iu.test(url) || !/^[a-z+]+:\/\/|^[^/@]+@[^/]+:/iu.test(url);
}

/** How a repository is reached. */
export type AddressKind = "folder" | "http" | "https" | "ssh";

/** By the form of the address; whether it is a good one is not checked. */
export function addressKind(url: string): AddressKind {
  if (isLocalPath(url)) return "folder";
  const [, scheme] = /^(https?):\/\//iu.exec(url) ?? [];
  if (scheme === undefined) return "ssh";
  return scheme.toLowerCase() === "http" ? "http" : "https";
}

function pathOfAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.host === "") return fileURLToPath(url);
  throw new AppError("E_USAGE", `${text} is no path of this machine: write file:///folder, or the path alone`);
}

function trimSlashes(path: string): string {
  return trimEndOf(path, "/") || path.slice(0, 1);
}
