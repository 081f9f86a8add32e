import { createHash } from "node:crypto";
import type { Chunks } from "../../core/chunks.ts";
import { AppError, isAppError } from "../../core/errors.ts";

/** The hash that names a repository's objects. */
export type ObjectFormat = "sha1" | "sha256";

export type ObjectType = "blob" | "tree" | "commit" | "tag";

/** An object's content, without git's header. */
export interface GitObject {
  readonly type: ObjectType;
  readonly content: Uint8Array;
}

export interface NamedObject extends GitObject {
  readonly id: string;
}

/** An object that this process adds. A blob may be in parts. */
export type NewObject =
  | NamedObject
  | { readonly type: "blob"; readonly content: Uint8Array | Chunks; readonly id: string };

/**
 * Reads objects by id: the one thing that differs between the engines' reading halves.
 * Every content that it returns hashes to its id.
 */
export interface ObjectReader {
  readonly format: ObjectFormat;
  /**
   * @throws E_GIT_OBJECT when the object is not here or (where it cannot be fetched again) damaged; E_GIT_CORRUPT when a
   * disposable copy is damaged; E_FILE_TOO_LARGE when it has more than `maximumBytes`
   */
  read(id: string, maximumBytes?: number): Promise<GitObject>;
  /** True when an object of that id is here. */
  has(id: string): Promise<boolean>;
}

/** The empty tree exists in every repository, whether or not it is stored. Source: git, Documentation/technical. */
export const emptyTreeIds: Readonly<Record<ObjectFormat, string>> = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** The id that means "no object" in the protocols. */
export function zeroId(format: ObjectFormat): string {
  return "0".repeat(format === "sha1" ? 40 : 64);
}

export function isObjectId(text: string, format: ObjectFormat): boolean {
  return (format === "sha1" ? /^[0-9a-f]{40}$/u : /^[0-9a-f]{64}$/u).test(text);
}

/** Guards every use of an id in a path, a request or an argument. @throws E_GIT_OBJECT */
export function assertObjectId(text: string, format: ObjectFormat): void {
  if (!isObjectId(text, format)) throw new AppError("E_GIT_OBJECT", `not a ${format} object id: ${shorten(text)}`);
}

/** The header that git hashes and stores before an object's content. */
export function objectHeader(type: ObjectType, sizeBytes: number): Buffer {
  return Buffer.from(`${type} ${sizeBytes}\0`, "latin1");
}

/** The id of an object: the hash of header and content. */
export function objectIdOf(type: ObjectType, content: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(objectHeader(type, content.byteLength)).update(content).digest("hex");
}

/** An object with its id. */
export function nameObject(type: ObjectType, content: Uint8Array, format: ObjectFormat): NamedObject {
  return { type, content, id: objectIdOf(type, content, format) };
}

/** The error for an object that is not here. */
export function missingObject(id: string): AppError {
  return new AppError("E_GIT_OBJECT", `object ${id} is not in the repository`, { data: { id, isMissing: true } });
}

/** True for the error of {@link missingObject}. */
export function isMissingObject(error: unknown): boolean {
  return isAppError(error, "E_GIT_OBJECT") && error.data.isMissing === true;
}

/** Whether `read` finds the object: it throws {@link missingObject} when it does not. @throws all other errors of `read` */
export async function canRead(id: string, read: (id: string) => Promise<unknown>): Promise<boolean> {
  try {
    await read(id);
    return true;
  } catch (error) {
    if (isMissingObject(error)) return false;
    throw error;
  }
}

/** The error for an object whose content does not match its name, or is malformed. */
export function malformedObject(id: string, reason: string): AppError {
  return new AppError("E_GIT_OBJECT", `object ${id} is malformed: ${reason}`, { data: { id } });
}

/** The error for a tag's object where a commit is expected. `content`: that of the tag. */
export function tagForCommit(id: string, content: Uint8Array): AppError {
  const { message } = malformedObject(id, "a tag where a commit is expected");
  const target = /^object (?<target>[0-9a-f]{40,64})\n/u.exec(Buffer.from(content.subarray(0, 80)).toString("latin1"));
  return new AppError("E_GIT_OBJECT", message, { data: { id, tagged: target?.groups?.["target"] } });
}

/** The object that the tag of {@link tagForCommit} names; undefined for every other error. */
export function taggedObject(error: unknown): string | undefined {
  const tagged = isAppError(error, "E_GIT_OBJECT") ? error.data.tagged : undefined;
  return typeof tagged === "string" ? tagged : undefined;
}

/** The error for an object that has more bytes than the caller allows. */
export function objectTooLarge(id: string, sizeBytes: number, maximumBytes: number): AppError {
  const text = `read object ${id}: it has ${sizeBytes} bytes where ${maximumBytes} are allowed`;
  return new AppError("E_FILE_TOO_LARGE", text, { data: { sizeBytes, maximumBytes } });
}

export function isObjectType(type: string): type is ObjectType {
  return ["blob", "tree", "commit", "tag"].includes(type);
}

function shorten(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
