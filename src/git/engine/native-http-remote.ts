import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";
import { authorizationFor, readCredentials } from "../wire/credentials.ts";
import { writeFileDurably } from "../local/durable-files.ts";
import { temporaryName } from "../local/folder-lock.ts";
import { isObjectId } from "../objects/git-object.ts";
import { defaultResponseMs, openHttpTransport, readRoute } from "../wire/http-transport.ts";
import type { HttpTransportOptions } from "../wire/http-transport.ts";
import { makeNativeGit } from "./native-git.ts";
import type { ProcessLimits } from "./native-git.ts";
import { fetchArguments } from "./native-remote.ts";
import type { NativeRemote } from "./native-remote.ts";
import { PieceDeflater } from "../objects/piece-deflater.ts";
import { buildPack } from "../wire/pack-file.ts";
import { pushPack } from "../wire/receive-pack.ts";
import { makeUploadPack } from "../wire/upload-pack.ts";

export interface NativeHttpOptions extends HttpTransportOptions {
  /** The engine's own folder: git's configuration for this remote is written there for the time of a fetch. */
  readonly folder: string;
  readonly searchPath?: string;
  readonly processLimits?: ProcessLimits;
  readonly random: Random;
}

/**
 * An http(s) remote: our own requests ask for refs and push what is new, which is small; native git fetches, which may be
 * large. Its credentials are in a file that only we can read, for as long as the fetch takes, never in an argument.
 */
export function makeNativeHttpRemote(options: NativeHttpOptions): NativeRemote {
  const {
    folder,
    url,
    searchPath,
    random,
    processLimits,
    timeouts: { responseMs: idleMs = defaultResponseMs } = {},
  } = options;
  const transport = openHttpTransport(options);
  const uploadPack = makeUploadPack(transport, 0);
  const deflater = new PieceDeflater();
  const places = new Set<number>();
  return {
    readRef: (ref, signal) => uploadPack.readRef(ref, signal),
    readRefs: (prefix, signal) => uploadPack.readRefs(prefix, signal),
    push: async ({ ref, oldId, newId, objects, signal }) => {
      const format = newId !== undefined && isObjectId(newId, "sha256") ? "sha256" : "sha1";
      const pack = newId === undefined ? {} : { pack: buildPack(objects, { format, deflater }) };
      await pushPack(transport, { ref, oldId, newId, ...pack, ...(signal ? { signal } : {}) });
    },
    fetch: async ({ ref, localRef, gitDir, signal }) => {
      const place = takePlace(places);
      const files = { configFile: join(folder, `git-config-${place}`), caFile: join(folder, `ca-${place}.pem`) };
      try {
        await writeConfig(options, { ...files, address: transport.effectiveUrl });
        const protocol = transport.effectiveUrl.startsWith("https:") ? "https" : "http";
        const git = makeNativeGit({
          folder,
          protocol,
          configFile: files.configFile,
          ...(searchPath === undefined ? {} : { searchPath }),
          ...(processLimits ? { limits: processLimits } : {}),
        });
        const args = fetchArguments(transport.effectiveUrl, { ref, localRef });
        const result = await git.run({ args, gitDir, idleMs, ...(signal ? { signal } : {}) });
        if (result.exitCode === 0) return;
        const remoteText = cleanRemoteText(result.errorText, { secrets: transport.secrets });
        throw new AppError("E_GIT_REMOTE", `fetch ${ref} from ${url}: ${remoteText}`, { data: { ref } });
      } finally {
        for (const file of Object.values(files)) await rm(file, { force: true });
        places.delete(place);
      }
    },
    close: () => transport.close(),
  };

  async function writeConfig(
    { credentials }: NativeHttpOptions,
    { configFile, caFile, address }: { readonly configFile: string; readonly caFile: string; readonly address: string },
  ): Promise<void> {
    const { caBundle, proxyUrl } = await readRoute(options);
    const write = async (path: string, content: string): Promise<void> =>
      writeFileDurably(path, content, { temporaryPath: join(folder, temporaryName(random)), mode: 0o600 });
    const given = await readCredentials(credentials);
    const header = given && authorizationFor(new URL(url).hostname, given).header;
    if (caBundle !== undefined) await write(caFile, caBundle);
    const lines = [
      `[http]`,
      "\tlowSpeedLimit = 1000",
      "\tlowSpeedTime = 120",
      ...(caBundle === undefined ? [] : [`\tsslCAInfo = ${quoteForConfig(caFile)}`]),
      ...(proxyUrl === undefined ? [] : [`\tproxy = ${quoteForConfig(proxyUrl)}`]),
      `[http ${quoteForConfig(new URL(address).origin)}]`,
      ...(header === undefined ? [] : [`\textraHeader = ${quoteForConfig(`Authorization: ${header}`)}`]),
    ];
    await write(configFile, `${lines.join("\n")}\n`);
  }
}

/** The lowest number that no other fetch has: a file that a killed process left is written over. */
function takePlace(places: Set<number>): number {
  let place = 0;
  while (places.has(place)) place += 1;
  places.add(place);
  return place;
}

/** Source: git-config(1), "Syntax". */
function quoteForConfig(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
