import { AppError } from "../../core/errors.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";
import { zeroId } from "../objects/git-object.ts";
import type { HttpTransport } from "./http-transport.ts";
import { encodePacket, flushPacket, packetText, protocolError, readPackets } from "./pkt-line.ts";
import type { Packet } from "./pkt-line.ts";
import { readAdvertisement } from "./remote-refs.ts";
import type { Advertisement } from "./remote-refs.ts";
import { readSideBand } from "./side-band.ts";

export interface PushRequest {
  readonly ref: string;
  /** Where the ref must be; undefined when it must not exist. */
  readonly oldId: string | undefined;
  /** Undefined deletes the ref. */
  readonly newId: string | undefined;
  /** Holds what the new commit adds to the old one; of no use for a ref that is deleted. */
  readonly pack?: Uint8Array;
  readonly signal?: AbortSignal;
}

interface PushReport {
  readonly unpackError?: string;
  readonly refError?: string;
  readonly isAccepted: boolean;
  /** What the server's hooks print. */
  readonly messages: string;
}

const service = "git-receive-pack";
// What hooks print is shown in part; each of its packets may be of one byte.
const maximumReportBytes = 256 * 1024;

/**
 * Moves one ref from exactly `oldId` to `newId`; the server compares, so that no commit is lost and nothing is
 * forced. Source: git, gitprotocol-pack(5), "Pushing Data To a Server".
 * @throws E_GIT_PUSH_RACE when the ref is elsewhere, E_GIT_PUSH_DENIED when the server refuses for another reason
 */
export async function pushPack(transport: HttpTransport, request: PushRequest): Promise<void> {
  const { ref, oldId, newId, pack = new Uint8Array(), signal } = request;
  const server = await readAdvertisement(transport, service, signal);
  if (newId === undefined && !server.refs.has(ref)) return;
  assertRefAt(transport, server, request);
  if (!server.capabilities.has("report-status")) throw protocolError("the server does not report on pushes");
  if (newId === undefined && !server.capabilities.has("delete-refs")) {
    const text = `delete ${ref} at ${transport.url}: the server allows no deletion`;
    throw new AppError("E_GIT_PUSH_DENIED", text, { data: { ref } });
  }
  const offered = ["side-band-64k", "ofs-delta", "atomic", `object-format=${server.format}`].filter((name) =>
    server.capabilities.has(name),
  );
  const capabilities = ["report-status", ...offered, "agent=git/rollcall"].join(" ");
  const zero = zeroId(server.format);
  const command = `${oldId ?? zero} ${newId ?? zero} ${ref}\0${capabilities}`;
  const body = Buffer.concat([encodePacket(command), Buffer.from(flushPacket, "latin1"), pack]);
  const answer = await transport.send({
    service,
    body,
    maximumBytes: maximumReportBytes,
    ...(signal ? { signal } : {}),
  });
  const report = await readReport(readPackets(answer), { ref, isSideBand: offered.includes("side-band-64k") });
  if (report.isAccepted) return;
  // Refusals have different texts on different servers; the ref shows whether another push was faster.
  const after = await readAdvertisement(transport, service, signal);
  if (newId === undefined && !after.refs.has(ref)) return;
  assertRefAt(transport, after, request);
  const reason = report.refError ?? report.unpackError ?? "no reason given";
  const remoteText = cleanRemoteText([reason, report.messages].join(" "), { secrets: transport.secrets });
  throw new AppError("E_GIT_PUSH_DENIED", `push ${ref} to ${transport.url}: the server refuses: ${remoteText}`, {
    data: { ref },
  });
}

function assertRefAt(transport: HttpTransport, server: Advertisement, { ref, oldId }: PushRequest): void {
  const actual = server.refs.get(ref);
  if (actual === oldId) return;
  throw pushRace({ ref, url: transport.url, expected: oldId, actual });
}

/** The error for a branch that is not where it was when the commit was made. */
export function pushRace(options: {
  readonly ref: string;
  readonly url: string;
  readonly expected: string | undefined;
  readonly actual: string | undefined;
}): AppError {
  const { ref, url, expected, actual } = options;
  const text = `push ${ref} to ${url}: it is at ${actual ?? "nothing"}, not at ${expected ?? "nothing"}`;
  return new AppError("E_GIT_PUSH_RACE", text, { data: { ref, expected, actual } });
}

async function readReport(
  packets: AsyncIterable<Packet>,
  { ref, isSideBand }: { readonly ref: string; readonly isSideBand: boolean },
): Promise<PushReport> {
  const messages: string[] = [];
  const lines: string[] = [];
  if (isSideBand) {
    const pieces: Buffer[] = [];
    await readSideBand(packets, {
      onData: (content) => pieces.push(content),
      onMessage: (text) => messages.push(text),
      onError: (text) => {
        throw protocolError(`the push was cut off: ${cleanRemoteText(text, { secrets: [] })}`);
      },
    });
    for await (const packet of readPackets(toAsync(pieces))) {
      if (packet.kind === "data") lines.push(packetText(packet.content));
    }
  } else {
    for await (const packet of packets) if (packet.kind === "data") lines.push(packetText(packet.content));
  }
  return parseReport(lines, ref, messages.join(""));
}

/** A result for another ref than the one that was pushed is none: the server did not do what it was asked to. */
function parseReport(lines: readonly string[], ref: string, messages: string): PushReport {
  const unpack = lines.find((line) => line.startsWith("unpack "))?.slice("unpack ".length);
  if (unpack === undefined) throw protocolError("the server does not report the result of the push");
  const refused = lines.find((line) => line.startsWith("ng "));
  return {
    isAccepted: unpack === "ok" && refused === undefined && lines.includes(`ok ${ref}`),
    ...(unpack === "ok" ? {} : { unpackError: unpack }),
    ...(refused === undefined ? {} : { refError: refused.split(" ").slice(2).join(" ") }),
    messages,
  };
}

async function* toAsync(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  yield* pieces;
}
