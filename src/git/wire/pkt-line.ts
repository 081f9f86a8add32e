import { AppError } from "../../core/errors.ts";

/**
 * One packet of git's wire format: a line with content, or one of the three markers.
 * Source: git, gitprotocol-common(5) and gitprotocol-v2(5).
 */
export type Packet = { readonly kind: "data"; readonly content: Buffer } | { readonly kind: PacketMarker };

export type PacketMarker = "flush" | "delimiter" | "end";

// git's own limit (65520 with the length), so that a line never needs more memory than that.
const maximumPacketBytes = 65_520;

export const flushPacket = "0000";
export const delimiterPacket = "0001";

/** A line as a packet. @throws E_GIT_PROTOCOL when it is longer than a packet can be */
export function encodePacket(line: string | Uint8Array): Buffer {
  const content = typeof line === "string" ? Buffer.from(line, "utf8") : Buffer.from(line);
  const sizeBytes = content.length + 4;
  if (sizeBytes > maximumPacketBytes) throw protocolError(`a line of ${content.length} bytes does not fit a packet`);
  return Buffer.concat([Buffer.from(sizeBytes.toString(16).padStart(4, "0"), "latin1"), content]);
}

/** A request's body: lines as packets, with the markers given as {@link flushPacket} and {@link delimiterPacket}. */
export function encodePackets(lines: readonly string[]): Buffer {
  const isMarker = (line: string): boolean => line === flushPacket || line === delimiterPacket;
  return Buffer.concat(lines.map((line) => (isMarker(line) ? Buffer.from(line, "latin1") : encodePacket(line))));
}

/**
 * The packets of a response, as they arrive; never more than one of them is held.
 * @throws E_GIT_PROTOCOL when the bytes are no packets, or end within one
 */
export async function* readPackets(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Packet, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let position = 0;
    for (;;) {
      const sizeBytes = readLength(rest, position);
      if (sizeBytes === undefined || rest.length - position < Math.max(sizeBytes, 4)) break;
      yield toPacket(sizeBytes, rest.subarray(position + 4, position + Math.max(sizeBytes, 4)));
      position += Math.max(sizeBytes, 4);
    }
    rest = rest.subarray(position);
  }
  if (rest.length > 0) throw protocolError("the answer ends within a packet");
}

/** The text of a line, without the line feed that may end it. */
export function packetText(content: Uint8Array): string {
  return Buffer.from(content).toString("utf8").replace(/\n$/u, "");
}

/** The error for an answer that does not follow the protocol. */
export function protocolError(reason: string, cause?: unknown): AppError {
  return new AppError("E_GIT_PROTOCOL", `read the git server's answer: ${reason}`, { cause });
}

function readLength(bytes: Buffer, position: number): number | undefined {
  if (bytes.length - position < 4) return undefined;
  const text = bytes.toString("latin1", position, position + 4);
  if (!/^[0-9a-fA-F]{4}$/u.test(text)) throw protocolError("no packet length where one is expected");
  const sizeBytes = Number.parseInt(text, 16);
  if (sizeBytes === 3 || sizeBytes > maximumPacketBytes) throw protocolError(`no packet has ${sizeBytes} bytes`);
  return sizeBytes;
}

function toPacket(sizeBytes: number, content: Buffer): Packet {
  if (sizeBytes === 0) return { kind: "flush" };
  if (sizeBytes === 1) return { kind: "delimiter" };
  if (sizeBytes === 2) return { kind: "end" };
  return { kind: "data", content };
}
