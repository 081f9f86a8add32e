import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { AppError } from "../../core/errors.ts";
import {
  assertObjectId,
  canRead,
  isObjectType,
  missingObject,
  objectIdOf,
  objectTooLarge,
} from "../objects/git-object.ts";
import type { GitObject, ObjectFormat, ObjectReader, ObjectType } from "../objects/git-object.ts";
import type { NativeGit } from "./native-git.ts";

export interface NativeObjects extends ObjectReader {
  /** Ends the process; the next read starts another. */
  stop(): Promise<void>;
}

/** A content over its bound is read and dropped up to this size. A larger one ends the process; the next read starts another. */
const longestPassingBytes = 16 * 1024 ** 2;

interface Wanted {
  readonly id: string;
  readonly maximumBytes: number | undefined;
  readonly resolve: (object: GitObject) => void;
  readonly reject: (error: unknown) => void;
}

/** What is being received: a header line, an object's content, or one that is too large and dropped as it comes. */
type Receiving =
  | { readonly kind: "header" }
  | { readonly kind: "content"; readonly type: ObjectType; readonly sizeBytes: number }
  | { readonly kind: "dropped"; readonly sizeBytes: number };

/**
 * Objects by one long-lived `git cat-file --batch`: reads are answered in order, and a content over its bound is dropped
 * as it arrives. Each content is hashed and compared to its name. Source: git-cat-file(1), "BATCH OUTPUT".
 */
export function openNativeObjects(git: NativeGit, gitDir: string, format: ObjectFormat): NativeObjects {
  let session: Session | undefined;
  const ask = (wanted: Wanted): void => {
    if (!session || session.hasEnded())
      session = startSession(git.start({ args: ["cat-file", "--batch"], gitDir }), format, ask);
    session.ask(wanted);
  };
  const read = (id: string, maximumBytes?: number): Promise<GitObject> => {
    assertObjectId(id, format);
    return new Promise((resolve, reject) => ask({ id, maximumBytes, resolve, reject }));
  };
  return {
    format,
    read: async (id, maximumBytes) => read(id, maximumBytes),
    has: (id) => canRead(id, read),
    stop: async () => {
      await session?.stop();
      session = undefined;
    },
  };
}

interface Session {
  ask(wanted: Wanted): void;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** `askAnew` gets the requests that wait behind an object that is too large to be dropped: another process answers them. */
function startSession(
  child: ChildProcessWithoutNullStreams,
  format: ObjectFormat,
  askAnew: (wanted: Wanted) => void,
): Session {
  const waiting: Wanted[] = [];
  let receiving: Receiving = { kind: "header" };
  const received = createReceived();
  let ended = false;

  /** One step with what has arrived; false when more is needed. */
  const advance = (): boolean => {
    switch (receiving.kind) {
      case "header": {
        const end = received.indexOfLineEnd();
        if (end === -1) return false;
        receiving = readHeader(received.take(end + 1).toString("latin1"), waiting);
        if (receiving.kind !== "dropped" || receiving.sizeBytes <= longestPassingBytes) return true;
        ended = true;
        child.stdout.removeAllListeners("data").resume();
        child.kill("SIGKILL");
        for (const wanted of waiting.splice(0)) askAnew(wanted);
        return false;
      }
      case "content": {
        const { type, sizeBytes } = receiving;
        if (received.sizeBytes() < sizeBytes + 1) return false;
        const content = Buffer.from(received.take(sizeBytes + 1).subarray(0, sizeBytes));
        receiving = { kind: "header" };
        settle(waiting.shift(), { type, content }, format);
        return true;
      }
      case "dropped": {
        const now = Math.min(received.sizeBytes(), receiving.sizeBytes + 1);
        received.take(now);
        const left = receiving.sizeBytes - now;
        receiving = left < 0 ? { kind: "header" } : { kind: "dropped", sizeBytes: left };
        return left < 0;
      }
    }
  };

  const fail = (cause?: unknown): void => {
    ended = true;
    for (const { id, reject } of waiting.splice(0)) {
      reject(new AppError("E_GIT_CORRUPT", `read object ${id} of the local copy: git ended`, { cause, data: { id } }));
    }
  };
  child.stdout.on("data", (chunk: Buffer) => {
    received.push(chunk);
    while (received.sizeBytes() > 0 && advance());
  });
  child.stderr.resume();
  child.stdin.on("error", fail);
  child.on("error", fail);
  child.on("close", () => fail());

  return {
    hasEnded: () => ended,
    ask: (wanted) => {
      waiting.push(wanted);
      child.stdin.write(`${wanted.id}\n`);
    },
    stop: async () => {
      if (ended) return;
      const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
      child.stdin.end();
      await closed;
    },
  };
}

function readHeader(line: string, waiting: Wanted[]): Receiving {
  const [, type = "", size = ""] = line.trim().split(" ");
  const sizeBytes = Number(size);
  const wanted = waiting[0];
  if (!isObjectType(type) || !/^\d+$/u.test(size)) {
    waiting.shift();
    wanted?.reject(missingObject(wanted.id));
    return { kind: "header" };
  }
  if (wanted?.maximumBytes !== undefined && sizeBytes > wanted.maximumBytes) {
    waiting.shift();
    wanted.reject(objectTooLarge(wanted.id, sizeBytes, wanted.maximumBytes));
    return { kind: "dropped", sizeBytes };
  }
  return { kind: "content", type, sizeBytes };
}

function settle(wanted: Wanted | undefined, object: GitObject, format: ObjectFormat): void {
  if (!wanted) return;
  if (objectIdOf(object.type, object.content, format) === wanted.id) wanted.resolve(object);
  else wanted.reject(new AppError("E_GIT_CORRUPT", `read object ${wanted.id} of the local copy: its hash is another`));
}

/** Bytes that arrived and are not taken yet. */
interface Received {
  push(chunk: Buffer): void;
  sizeBytes(): number;
  /** -1 while no line has ended. */
  indexOfLineEnd(): number;
  /** Takes the first bytes. The result is a view, which keeps its whole chunk in memory. */
  take(sizeBytes: number): Buffer;
}

function createReceived(): Received {
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  return {
    push: (chunk) => {
      pieces.push(chunk);
      heldBytes += chunk.length;
    },
    sizeBytes: () => heldBytes,
    indexOfLineEnd: () => {
      let position = 0;
      for (const piece of pieces) {
        const index = piece.indexOf(0x0a);
        if (index !== -1) return position + index;
        position += piece.length;
      }
      return -1;
    },
    take: (sizeBytes) => {
      const all = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
      const rest = all.subarray(sizeBytes);
      pieces = rest.length > 0 ? [rest] : [];
      heldBytes = rest.length;
      return all.subarray(0, sizeBytes);
    },
  };
}
