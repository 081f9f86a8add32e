import { packetText, protocolError } from "./pkt-line.ts";
import type { Packet } from "./pkt-line.ts";

/** What arrives on the bands of a response. */
export interface SideBandSink {
  readonly onData: (content: Buffer) => void;
  /** Progress and the output of hooks, for people. */
  readonly onMessage?: (text: string) => void;
  /** The server gave up: this is why. It throws. */
  readonly onError: (text: string) => never;
}

/**
 * Takes apart a response whose lines carry their band in the first byte, up to the flush that ends it.
 * Source: git, gitprotocol-pack(5), "packfile data".
 * @throws E_GIT_PROTOCOL when a line has no band, or the response ends without a flush
 */
export async function readSideBand(packets: AsyncIterable<Packet>, sink: SideBandSink): Promise<void> {
  for await (const packet of packets) {
    if (packet.kind === "flush") return;
    if (packet.kind !== "data") continue;
    readBand(packet.content, sink);
  }
  throw protocolError("it ends early");
}

function readBand(content: Buffer, sink: SideBandSink): void {
  const payload = content.subarray(1);
  switch (content[0]) {
    case 1:
      sink.onData(payload);
      return;
    case 2:
      sink.onMessage?.(payload.toString("utf8"));
      return;
    case 3:
      return sink.onError(packetText(payload));
    default:
      throw protocolError("a line without a band");
  }
}
