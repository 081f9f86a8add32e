/**
 * Bytes written from the end to the front: a message's length is known when its tag is written, so that nothing is
 * measured or copied twice.
 */
export interface Writer {
  bytes: Uint8Array;
  /** Everything from here to the end is written. */
  start: number;
}

const initialBytes = 512;

export function newWriter(): Writer {
  return { bytes: new Uint8Array(initialBytes), start: initialBytes };
}

/** A copy of what was written. */
export function writtenBytes(writer: Writer): Uint8Array {
  return writer.bytes.slice(writer.start);
}

/** How much was written. */
export function writtenLength(writer: Writer): number {
  return writer.bytes.length - writer.start;
}

function reserve(writer: Writer, count: number): void {
  if (writer.start >= count) return;
  const written = writtenLength(writer);
  const larger = new Uint8Array(Math.max(writer.bytes.length * 2, written + count + initialBytes));
  larger.set(writer.bytes.subarray(writer.start), larger.length - written);
  writer.start = larger.length - written;
  writer.bytes = larger;
}

export function writeBytes(writer: Writer, bytes: Uint8Array): void {
  reserve(writer, bytes.length);
  writer.start -= bytes.length;
  writer.bytes.set(bytes, writer.start);
}

/** A whole number as a varint; negative ones take ten bytes, as two's complement of 64 bits. */
export function writeVarint(writer: Writer, written: number | bigint): void {
  const value = typeof written === "bigint" && Number.isSafeInteger(Number(written)) ? Number(written) : written;
  if (typeof value === "number" && value >= 0 && value < 0x80) {
    reserve(writer, 1);
    writer.bytes[--writer.start] = value;
    return;
  }
  const groups: number[] = [];
  if (typeof value === "number" && value >= 0 && value <= 0x7fffffff) {
    for (let rest = value; rest > 0; rest >>>= 7) groups.push(rest & 0x7f);
  } else {
    for (let rest = BigInt.asUintN(64, BigInt(value)); rest > 0n; rest >>= 7n) groups.push(Number(rest & 0x7fn));
  }
  reserve(writer, groups.length);
  writer.start -= groups.length;
  for (const [index, group] of groups.entries()) {
    writer.bytes[writer.start + index] = index < groups.length - 1 ? group | 0x80 : group;
  }
}

export function writeDouble(writer: Writer, value: number): void {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  writeBytes(writer, bytes);
}

export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

export function writeTag(writer: Writer, field: number, wireType: number): void {
  writeVarint(writer, field * 8 + wireType);
}

/** Length and tag in front of what was written since `end` bytes were. */
export function writeHeader(writer: Writer, field: number, end: number): void {
  writeVarint(writer, writtenLength(writer) - end);
  writeTag(writer, field, wireTypes.bytes);
}

export function writeTextField(writer: Writer, field: number, text: string): void {
  const end = writtenLength(writer);
  writeBytes(writer, Buffer.from(text, "utf8"));
  writeHeader(writer, field, end);
}

export function writeBytesField(writer: Writer, field: number, bytes: Uint8Array): void {
  const end = writtenLength(writer);
  writeBytes(writer, bytes);
  writeHeader(writer, field, end);
}

export function writeNumberField(writer: Writer, field: number, value: number | bigint): void {
  writeVarint(writer, value);
  writeTag(writer, field, wireTypes.varint);
}
