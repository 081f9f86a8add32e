import { protocolError } from "./pkt-line.ts";
import type { Turns } from "./take-turns.ts";

const opsBetweenTurns = 4096;

/** The size of what a delta makes: the second of the two numbers that it starts with. @throws E_GIT_PROTOCOL */
export function deltaTargetSize(delta: Buffer): number {
  return readSize(delta, readSize(delta, 0).end).size;
}

/**
 * Applies a delta to its base. Source: git, gitformat-pack(5), "Deltified representation". The caller has bounded
 * {@link deltaTargetSize}.
 * @throws E_GIT_PROTOCOL when it is of another base, or its result does not have the declared size
 */
export async function applyDelta(base: Buffer, delta: Buffer, turns: Turns): Promise<Buffer> {
  const ofBase = readSize(delta, 0);
  const ofTarget = readSize(delta, ofBase.end);
  if (ofBase.size !== base.length) throw protocolError("the pack has a delta of another object than its base");
  const target = Buffer.allocUnsafe(ofTarget.size);
  let targetBytes = 0;
  let position = ofTarget.end;
  for (let ops = 1; position < delta.length; ops++) {
    const op = delta[position++] ?? 0;
    let source = delta;
    let start = position;
    let length = op;
    if ((op & 0x80) !== 0) {
      source = base;
      start = 0;
      length = 0;
      for (let bit = 0; bit < 4; bit++) if ((op >> bit) & 1) start += (delta[position++] ?? 0) * 256 ** bit;
      for (let bit = 0; bit < 3; bit++) if ((op >> (bit + 4)) & 1) length += (delta[position++] ?? 0) * 256 ** bit;
      if (length === 0) length = 0x10000;
    } else position += length;
    if (length === 0 || start + length > source.length || targetBytes + length > target.length)
      throw protocolError("the pack has a delta that reaches beyond its base or its result");
    source.copy(target, targetBytes, start, start + length);
    targetBytes += length;
    if (ops % opsBetweenTurns === 0) await turns.pass();
  }
  if (targetBytes !== target.length) throw protocolError("the pack has a delta that makes less than it declares");
  return target;
}

function readSize(delta: Buffer, start: number): { readonly size: number; readonly end: number } {
  let size = 0;
  let factor = 1;
  for (let position = start; ; factor *= 128) {
    const byte = delta[position++];
    if (byte === undefined) throw protocolError("the pack is cut off");
    size += (byte & 0x7f) * factor;
    if ((byte & 0x80) === 0) return { size, end: position };
  }
}
