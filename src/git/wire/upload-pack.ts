import { collectBytes } from "../../core/collect-bytes.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { isObjectId } from "../objects/git-object.ts";
import type { ObjectFormat } from "../objects/git-object.ts";
import type { HttpTransport } from "./http-transport.ts";
import { largeBlobBytes } from "./pack-limits.ts";
import { delimiterPacket, encodePackets, flushPacket, packetText, protocolError, readPackets } from "./pkt-line.ts";
import type { Packet } from "./pkt-line.ts";
import { readAdvertisement, readRefPackets, refListLimits, serverError } from "./remote-refs.ts";
import type { Advertisement } from "./remote-refs.ts";
import { readSideBand } from "./side-band.ts";

/** The reading half of a server. */
export interface UploadPack {
  /**
   * The commit that a ref is at, or undefined. One request (two the first time): the server's capabilities are
   * remembered, and with version 2 only the ref itself is asked for.
   */
  readRef(ref: string, signal?: AbortSignal): Promise<RemoteRef>;
  /** Every ref that begins with `prefix` (with its slash at the end), and where it is. As many requests as for one ref. */
  readRefs(prefix: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /**
   * A pack with all that `wants` reach and `haves` do not; without blobs of {@link largeBlobBytes} and more where the server
   * leaves them out on request.
   */
  fetchPack(request: FetchPackRequest): Promise<FetchedPack>;
}

export interface RemoteRef {
  /** Where the ref is; undefined when it does not exist. */
  readonly id: string | undefined;
  readonly format: ObjectFormat;
}

export interface FetchPackRequest {
  readonly wants: readonly string[];
  /** Commits that are here with all they reach; the server may know none of them. */
  readonly haves: readonly string[];
  readonly signal?: AbortSignal;
}

export interface FetchedPack {
  readonly pack: Buffer;
  /** The server was asked to leave out large blobs. */
  readonly isFiltered: boolean;
}

const service = "git-upload-pack";
const agent = "agent=git/rollcall";

/** Reads from a server by protocol version 2, or 1 where it speaks that. Source: git, gitprotocol-v2(5), -pack(5). */
export function makeUploadPack(transport: HttpTransport, maximumPackBytes: number): UploadPack {
  let known: Advertisement | undefined;
  let isFilterRefused = false;

  /** The refs of the server; with version 2 it is asked for those that begin with `prefix` alone. */
  const listRefs = async (
    prefix: string,
    signal?: AbortSignal,
  ): Promise<{ readonly refs: ReadonlyMap<string, string>; readonly format: ObjectFormat }> => {
    if (known?.version !== 2) known = await readAdvertisement(transport, service, signal);
    const { version, format, refs } = known;
    if (version === 1) return { refs, format };
    const lines = ["command=ls-refs\n", ...commonLines(known), delimiterPacket, `ref-prefix ${prefix}\n`, flushPacket];
    const request = {
      service,
      isVersion2: true,
      body: encodePackets(lines),
      maximumBytes: refListLimits.bytes,
    } as const;
    const answer = await transport.send({ ...request, ...(signal ? { signal } : {}) });
    return { refs: await readRefLines(transport, format, answer), format };
  };

  const readRef = async (ref: string, signal?: AbortSignal): Promise<RemoteRef> => {
    const { refs, format } = await listRefs(ref, signal);
    return { id: refs.get(ref), format };
  };

  const readRefs = async (prefix: string, signal?: AbortSignal): Promise<ReadonlyMap<string, string>> => {
    const { refs } = await listRefs(prefix, signal);
    return new Map([...refs].filter(([ref]) => ref.startsWith(prefix)));
  };

  const fetchOnce = async (
    request: FetchPackRequest,
    server: Advertisement,
    isFiltered: boolean,
  ): Promise<FetchedPack> => {
    const { signal } = request;
    const isVersion2 = server.version === 2;
    const filter = isFiltered ? [`filter blob:limit=${largeBlobBytes}\n`] : [];
    const lines = isVersion2 ? fetchLines2(server, request, filter) : fetchLines1(server, request, filter);
    const sent = { service, isVersion2, body: encodePackets(lines), maximumBytes: maximumPackBytes } as const;
    const packets = readPackets(await transport.send({ ...sent, ...(signal ? { signal } : {}) }));
    return { pack: await collectPack(transport, skipToPack(transport, packets, server)), isFiltered };
  };

  const fetchPack = async (request: FetchPackRequest): Promise<FetchedPack> => {
    known ??= await readAdvertisement(transport, service, request.signal);
    if (!isFilterRefused && offersFilter(known)) {
      try {
        return await fetchOnce(request, known, true);
      } catch (error) {
        // A server may offer filters and refuse this one.
        if (!isAppError(error, "E_GIT_REMOTE") || error.data.isServerText !== true) throw error;
        // Whatever else the server refuses, such as a commit that a forced push has removed, it refuses without a filter, too.
        const unfiltered = await fetchOnce(request, known, false);
        isFilterRefused = true;
        return unfiltered;
      }
    }
    return fetchOnce(request, known, false);
  };

  // After a failure the server may be another one: its capabilities are asked for again.
  const forgetOnError = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
  return {
    readRef: (ref, signal) => forgetOnError(readRef(ref, signal)),
    readRefs: (prefix, signal) => forgetOnError(readRefs(prefix, signal)),
    fetchPack: (request) => forgetOnError(fetchPack(request)),
  };
}

function commonLines({ capabilities, format }: Advertisement): string[] {
  const name = `object-format=${format}`;
  return [`${agent}\n`, ...(capabilities.has(name) ? [`${name}\n`] : [])];
}

/** Source: git, gitprotocol-v2(5), "fetch"; gitprotocol-capabilities(5), "filter". */
function offersFilter({ version, capabilities }: Advertisement): boolean {
  if (version === 1) return capabilities.has("filter");
  const fetch = [...capabilities].find((line) => line.startsWith("fetch="));
  return fetch?.slice("fetch=".length).split(" ").includes("filter") === true;
}

function fetchLines2(server: Advertisement, { wants, haves }: FetchPackRequest, filter: readonly string[]): string[] {
  return [
    "command=fetch\n",
    ...commonLines(server),
    delimiterPacket,
    "ofs-delta\n",
    "no-progress\n",
    ...filter,
    ...wants.map((id) => `want ${id}\n`),
    ...haves.map((id) => `have ${id}\n`),
    "done\n",
    flushPacket,
  ];
}

/** Thin packs are not asked for: their deltas could not be resolved from the pack alone. */
function fetchLines1(server: Advertisement, { wants, haves }: FetchPackRequest, filter: readonly string[]): string[] {
  if (!server.capabilities.has("side-band-64k")) throw protocolError("the server does not speak side-band-64k");
  const offered = ["multi_ack_detailed", "ofs-delta", "no-progress"].filter((name) => server.capabilities.has(name));
  const capabilities = ["side-band-64k", ...offered, ...(filter.length > 0 ? ["filter"] : []), agent].join(" ");
  return [
    ...wants.map((id, index) => (index === 0 ? `want ${id} ${capabilities}\n` : `want ${id}\n`)),
    ...filter,
    flushPacket,
    ...haves.map((id) => `have ${id}\n`),
    "done\n",
  ];
}

async function readRefLines(
  transport: HttpTransport,
  format: ObjectFormat,
  answer: AsyncIterable<Uint8Array>,
): Promise<ReadonlyMap<string, string>> {
  const refs = new Map<string, string>();
  let isComplete = false;
  for await (const packet of readRefPackets(transport, answer)) {
    if (packet.kind === "flush") isComplete = true;
    if (packet.kind !== "data") continue;
    const line = packetText(packet.content);
    if (line.startsWith("ERR ")) throw serverError(transport, line.slice("ERR ".length));
    const [id = "", name] = line.split(" ");
    if (!isObjectId(id, format)) throw protocolError("no ref where one is expected");
    if (name !== undefined) refs.set(name, id);
  }
  // An answer that was cut off must not be taken for a deleted branch.
  if (!isComplete) throw protocolError("the list of refs ends early");
  return refs;
}

/** The packets after the negotiation: all that is left carries a band. */
async function* skipToPack(
  transport: HttpTransport,
  packets: AsyncIterable<Packet>,
  { version }: Advertisement,
): AsyncGenerator<Packet, void, undefined> {
  let isPack = false;
  for await (const packet of packets) {
    if (isPack) {
      yield packet;
      continue;
    }
    if (packet.kind !== "data") continue;
    const line = packetText(packet.content);
    if (line.startsWith("ERR ")) throw serverError(transport, line.slice("ERR ".length));
    if (version === 2) {
      isPack = line === "packfile";
    } else if (!/^(?:ACK|NAK|shallow|unshallow)\b/u.test(line)) {
      isPack = true;
      yield packet;
    }
  }
}

async function collectPack(transport: HttpTransport, packets: AsyncIterable<Packet>): Promise<Buffer> {
  const collected = collectBytes();
  await readSideBand(packets, {
    onData: (content) => collected.add(content),
    onError: (text) => {
      throw serverError(transport, text);
    },
  });
  if (collected.sizeBytes === 0) throw new AppError("E_GIT_PROTOCOL", `read ${transport.url}: the answer has no pack`);
  return collected.take();
}
