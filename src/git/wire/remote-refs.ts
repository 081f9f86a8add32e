import { AppError } from "../../core/errors.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";
import type { ObjectFormat } from "../objects/git-object.ts";
import type { GitService, HttpTransport } from "./http-transport.ts";
import { packetText, protocolError, readPackets } from "./pkt-line.ts";
import type { Packet } from "./pkt-line.ts";

/** A server's first answer: its capabilities and refs. */
export interface Advertisement {
  readonly version: 1 | 2;
  /** What its ids are. */
  readonly format: ObjectFormat;
  readonly capabilities: ReadonlySet<string>;
  /** Full ref to id; empty in version 2, where refs are asked for one by one. */
  readonly refs: ReadonlyMap<string, string>;
}

/**
 * What a list of refs may have: 50,000 refs, a tag among them in two lines, with the longest name that a file system takes
 * (255 bytes) each.
 */
export const refListLimits = { lines: 100_100, bytes: 32 * 1024 ** 2 } as const;

/**
 * Asks a server for its capabilities and (in version 1) refs.
 * @throws what sending throws; E_GIT_PROTOCOL
 */
export async function readAdvertisement(
  transport: HttpTransport,
  service: GitService,
  signal?: AbortSignal,
): Promise<Advertisement> {
  const isVersion2 = service === "git-upload-pack";
  const maximumBytes = refListLimits.bytes;
  const answer = await transport.send({ service, isVersion2, maximumBytes, ...(signal ? { signal } : {}) });
  const lines: string[] = [];
  let sections = 0;
  for await (const packet of readRefPackets(transport, answer)) {
    if (packet.kind === "data") lines.push(packetText(packet.content));
    if (packet.kind === "flush") sections += 1;
  }
  const hasServiceLine = lines[0]?.startsWith("# service=") === true;
  if (hasServiceLine) lines.shift();
  const error = lines.find((line) => line.startsWith("ERR "));
  if (error !== undefined) throw serverError(transport, error.slice("ERR ".length));
  // An answer that was cut off, or has nothing in it, must not be taken for a repository without branches.
  if (sections < (hasServiceLine ? 2 : 1)) throw protocolError("the list of refs ends early");
  return lines[0] === "version 2" ? parseVersion2(lines) : parseVersion1(lines);
}

/**
 * The packets of a list of refs. @throws E_UNSUPPORTED beyond {@link refListLimits}, whatever is in them; E_GIT_PROTOCOL
 */
export async function* readRefPackets(
  transport: HttpTransport,
  answer: AsyncIterable<Uint8Array>,
): AsyncGenerator<Packet, void, undefined> {
  const { lines: maximumLines } = refListLimits;
  let count = 0;
  for await (const packet of readPackets(answer)) {
    count += 1;
    if (count > maximumLines) {
      const text = `read ${transport.url}: it lists more than ${maximumLines} refs; delete unneeded branches and tags`;
      const remedy = "Delete branches and tags that are not needed from the repository.";
      throw new AppError("E_UNSUPPORTED", text, { data: { maximumLines }, remedy });
    }
    yield packet;
  }
}

/** The error for a server's message about a request that it does not serve. */
export function serverError(transport: HttpTransport, text: string): AppError {
  const shown = cleanRemoteText(text, { secrets: transport.secrets });
  return new AppError("E_GIT_REMOTE", `read ${transport.url}: the server reports: ${shown}`, {
    data: { isServerText: true },
  });
}

function parseVersion2(lines: readonly string[]): Advertisement {
  const capabilities = new Set(lines.slice(1));
  return { version: 2, format: formatOf(capabilities), capabilities, refs: new Map() };
}

function parseVersion1(lines: readonly string[]): Advertisement {
  const refs = new Map<string, string>();
  let capabilities: ReadonlySet<string> = new Set();
  for (const line of lines) {
    if (line === "version 1" || line.startsWith("shallow ")) continue;
    const [entry = "", capabilityText] = line.split("\0");
    if (capabilityText !== undefined) capabilities = new Set(capabilityText.trim().split(" "));
    const match = /^(?<id>[0-9a-f]{40}|[0-9a-f]{64}) (?<ref>\S.*)$/u.exec(entry)?.groups;
    if (!match) throw protocolError("no ref where one is expected");
    // An empty repository has this one line, to carry its capabilities.
    if (match.ref !== "capabilities^{}") refs.set(match.ref ?? "", match.id ?? "");
  }
  return { version: 1, format: formatOf(capabilities), capabilities, refs };
}

function formatOf(capabilities: ReadonlySet<string>): ObjectFormat {
  return capabilities.has("object-format=sha256") ? "sha256" : "sha1";
}
