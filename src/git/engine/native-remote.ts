import { AppError } from "../../core/errors.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";
import { isObjectId } from "../objects/git-object.ts";
import type { NewObject, ObjectFormat } from "../objects/git-object.ts";
import type { NativeGit, NativeResult } from "./native-git.ts";
import { withoutAdvice } from "./ssh-refusal.ts";
import { defaultResponseMs } from "../wire/http-transport.ts";
import { pushRace } from "../wire/receive-pack.ts";
import type { RemoteRef } from "../wire/upload-pack.ts";

export interface NativePush {
  readonly ref: string;
  /** Where the ref must be; undefined when it must not exist. */
  readonly oldId: string | undefined;
  /** Undefined deletes the ref. */
  readonly newId: string | undefined;
  /** What the commit adds; they are in the copy already. */
  readonly objects: readonly NewObject[];
  readonly gitDir: string;
  readonly signal?: AbortSignal;
}

/** The far side, as the native engine needs it. */
export interface NativeRemote {
  readRef(ref: string, signal?: AbortSignal): Promise<RemoteRef>;
  /** Every ref that begins with `prefix`, and where it is. */
  readRefs(prefix: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Brings all that `ref` reaches into the copy and sets `localRef` there. */
  fetch(request: {
    readonly ref: string;
    readonly localRef: string;
    readonly gitDir: string;
    readonly signal?: AbortSignal;
  }): Promise<void>;
  /** @throws E_GIT_PUSH_RACE, E_GIT_PUSH_DENIED */
  push(push: NativePush): Promise<void>;
  close(): Promise<void>;
}

export interface CommandRemoteOptions {
  /** Git as it is to be run now. */
  readonly openGit: () => Promise<NativeGit>;
  /** As git takes it. */
  readonly address: string;
  /** For messages. */
  readonly url: string;
  /** What ids are where no ref shows it. Default: the far side is asked. */
  readonly emptyFormat?: ObjectFormat;
  /** A repository of this machine: its own hooks do not run for us. */
  readonly isLocal: boolean;
  /** For a list of refs, and between two signs of progress: a server may let us in and not answer. Default 120 s, as by http. */
  readonly responseMs?: number | undefined;
  /** The error for a command that did not get through. */
  readonly explain: (result: NativeResult, signal: AbortSignal | undefined) => Promise<AppError>;
}

// In a folder of this machine the far half of git is started by us, with that repository's configuration: whatever in it
// names a program (hooks, filters of a checkout, the listing of borrowed refs) is overruled.
const overrules = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=true",
  "receive.denyCurrentBranch=refuse",
  "receive.autoGc=false",
];
const localGit = ["git", ...overrules.flatMap((setting) => ["-c", setting])].join(" ");

/** Fetches one ref with all that it reaches, and writes no other ref. `options` are further ones of git-fetch(1). */
export function fetchArguments(
  address: string,
  { ref, localRef }: { readonly ref: string; readonly localRef: string },
  options: readonly string[] = [],
): string[] {
  const flags = [
    "--progress",
    "--update-shallow",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--refmap=",
    "--force",
  ];
  return ["fetch", ...flags, ...options, "--", address, `+${ref}:${localRef}`];
}

/** A remote that native git talks to: ssh, or a folder of this machine. */
export function makeCommandRemote(options: CommandRemoteOptions): NativeRemote {
  const { openGit, address, url, emptyFormat, isLocal, responseMs = defaultResponseMs, explain } = options;
  const uploadPack = isLocal ? [`--upload-pack=${localGit} upload-pack`] : [];
  const receivePack = isLocal ? [`--receive-pack=${localGit} receive-pack`] : [];

  let format: ObjectFormat | undefined;

  const listRefs = async (patterns: readonly string[], signal?: AbortSignal): Promise<Map<string, string>> => {
    const args = ["ls-remote", "--quiet", "--refs", ...uploadPack, "--", address, ...patterns];
    const result = await (await openGit()).run({ args, timeoutMs: responseMs, ...(signal ? { signal } : {}) });
    if (result.exitCode !== 0) throw await explain(result, signal);
    const lines = result.output.split("\n").filter((line) => line !== "");
    return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
  };

  /** No command of git has the format of an empty repository, but a server of protocol 2 sends it. Source: gitprotocol-v2(5). */
  const askFormat = async (signal?: AbortSignal): Promise<ObjectFormat> => {
    const args = ["ls-remote", "--quiet", ...uploadPack, "--", address];
    const result = await (
      await openGit()
    ).run({ args, timeoutMs: responseMs, isTraced: true, ...(signal ? { signal } : {}) });
    if (result.exitCode !== 0) throw await explain(result, signal);
    return result.trace.includes("ls-remote< object-format=sha256\n") ? "sha256" : "sha1";
  };

  const readRef = async (ref: string, signal?: AbortSignal): Promise<RemoteRef> => {
    const found = await listRefs([ref], signal);
    const id = found.get(ref);
    if (id === undefined && format === undefined) {
      const [anyId] = (await listRefs([], signal)).values();
      format = anyId === undefined ? (emptyFormat ?? (await askFormat(signal))) : formatOf(anyId);
    }
    if (id !== undefined) format = formatOf(id);
    return { id, format: format ?? "sha1" };
  };

  const push = async ({ ref, oldId, newId, gitDir, signal }: NativePush): Promise<void> => {
    const lease = `--force-with-lease=${ref}:${oldId ?? ""}`;
    const flags = [
      "--progress",
      "--porcelain",
      "--no-verify",
      "--no-follow-tags",
      "--recurse-submodules=no",
      lease,
      ...receivePack,
    ];
    const args = ["push", ...flags, "--", address, `${newId ?? ""}:${ref}`];
    const result = await (await openGit()).run({ args, gitDir, idleMs: responseMs, ...(signal ? { signal } : {}) });
    if (result.exitCode === 0) return;
    // The ref shows whether another push was faster, or only the answer was lost.
    const { id: actual } = await readRef(ref, signal);
    if (actual === newId) return;
    if (actual !== oldId) throw pushRace({ ref, url, expected: oldId, actual });
    const remoteText = cleanRemoteText(`${withoutAdvice(result.errorText)} ${result.output}`, { secrets: [] });
    // A line for the ref is the server's own answer; without one the connection may have broken.
    const isAnswered = result.output.split("\n").some((line) => line.startsWith("!"));
    throw new AppError("E_GIT_PUSH_DENIED", `push ${ref} to ${url}: the server refuses: ${remoteText}`, {
      data: { ref },
      recovery: isAnswered ? "stalled" : "transient",
    });
  };

  return {
    readRef,
    readRefs: (prefix, signal) => listRefs([`${prefix}*`], signal),
    push,
    fetch: async ({ ref, localRef, gitDir, signal }) => {
      const args = fetchArguments(address, { ref, localRef }, uploadPack);
      const result = await (await openGit()).run({ args, gitDir, idleMs: responseMs, ...(signal ? { signal } : {}) });
      if (result.exitCode !== 0) throw await explain(result, signal);
    },
    close: async () => undefined,
  };
}

function formatOf(id: string): ObjectFormat {
  return isObjectId(id, "sha256") ? "sha256" : "sha1";
}
