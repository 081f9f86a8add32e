const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const isFinal = 0x80;
const isMasked = 0x80;
/** Lengths above are in 2 or 8 bytes of their own. */
const shortLength = 125;
const maskBytes = 4;

/** A whole message in one frame, as a server sends it. Source: RFC 6455 section 5.2. */
export function encodeFrame(kind: keyof typeof opcodes, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length <= shortLength ? 2 : length <= 0xffff ? 4 : 10);
  head[0] = isFinal | opcodes[kind];
  if (head.length === 2) head[1] = length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

export interface FrameHandlers {
  /** Gets what the answer has to carry. */
  readonly onPing: (payload: Buffer) => void;
  readonly onClose: (payload: Buffer) => void;
}

/**
 * Reads a client's frames as their bytes arrive; messages are skipped without being kept. `take` is false once the bytes
 * are no frames.
 */
export function readFrames({ onPing, onClose }: FrameHandlers): { readonly take: (chunk: Buffer) => boolean } {
  let pending: Buffer = Buffer.alloc(0);
  let skipBytes = 0;
  const takeFrame = (): "taken" | "incomplete" | "malformed" => {
    const head = parseHead(pending);
    if (head === undefined) return "incomplete";
    const { opcode, headBytes, payloadBytes, hasMask } = head;
    if (!hasMask) return "malformed";
    const isControl = opcode >= opcodes.close;
    if (!isControl) {
      const there = Math.min(payloadBytes, pending.length - headBytes);
      skipBytes = payloadBytes - there;
      pending = pending.subarray(headBytes + there);
      return "taken";
    }
    if (payloadBytes > shortLength) return "malformed";
    if (pending.length < headBytes + payloadBytes) return "incomplete";
    const mask = pending.subarray(headBytes - maskBytes, headBytes);
    const payload = Buffer.from(pending.subarray(headBytes, headBytes + payloadBytes));
    for (const [index, byte] of payload.entries()) payload[index] = byte ^ (mask[index % maskBytes] ?? 0);
    pending = pending.subarray(headBytes + payloadBytes);
    if (opcode === opcodes.ping) onPing(payload);
    if (opcode === opcodes.close) onClose(payload);
    return "taken";
  };
  return {
    take: (chunk) => {
      const skipped = Math.min(skipBytes, chunk.length);
      skipBytes -= skipped;
      pending = Buffer.concat([pending, chunk.subarray(skipped)]);
      for (;;) {
        const outcome = takeFrame();
        if (outcome === "malformed") return false;
        if (outcome === "incomplete") return true;
      }
    },
  };
}

interface FrameHead {
  readonly opcode: number;
  readonly headBytes: number;
  readonly payloadBytes: number;
  readonly hasMask: boolean;
}

/** Undefined until the head has arrived whole. */
function parseHead(bytes: Buffer): FrameHead | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const short = second & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const hasMask = (second & isMasked) !== 0;
  const headBytes = 2 + lengthBytes + (hasMask ? maskBytes : 0);
  if (bytes.length < headBytes) return undefined;
  const payloadBytes =
    lengthBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : lengthBytes === 2 ? bytes.readUInt16BE(2) : short;
  return { opcode: first & 0x0f, headBytes, payloadBytes, hasMask };
}
