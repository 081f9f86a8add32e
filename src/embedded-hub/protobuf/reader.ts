/** A position in bytes. Reading past the end, or a malformed varint, sets `isMalformed`. */
export interface Reader {
  readonly bytes: Uint8Array;
  position: number;
  isMalformed: boolean;
  /** Shared by the readers of one message. */
  readonly budget: { fieldsLeft: number };
}

/** Of a whole message: one of two bytes costs as much as one of a thousand. */
const mostFields = 200_000;

export function newReader(bytes: Uint8Array, budget: Reader["budget"] = { fieldsLeft: mostFields }): Reader {
  return { bytes, position: 0, isMalformed: false, budget };
}

/** Counts one field or value; beyond {@link mostFields} the message counts as malformed, and this is false. */
export function spend(reader: Reader): boolean {
  reader.budget.fieldsLeft -= 1;
  if (reader.budget.fieldsLeft < 0) reader.isMalformed = true;
  return !reader.isMalformed;
}

export function hasMore(reader: Reader): boolean {
  return !reader.isMalformed && reader.position < reader.bytes.length;
}

/** A varint of up to 64 bits, unsigned. */
export function readVarint(reader: Reader): bigint {
  let result = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.bytes[reader.position];
    if (byte === undefined) break;
    reader.position++;
    result |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, result);
  }
  reader.isMalformed = true;
  return 0n;
}

/** A varint that is a length or a tag: as a number, since most have one byte. */
function readNumber(reader: Reader): number {
  const byte = reader.bytes[reader.position];
  if (byte === undefined || byte >= 0x80) return Number(readVarint(reader));
  reader.position++;
  return byte;
}

export interface Tag {
  readonly number: number;
  readonly wireType: number;
}

export function readTag(reader: Reader): Tag {
  spend(reader);
  const tag = readNumber(reader);
  if (tag < 8) reader.isMalformed = true; // No field has the number 0.
  return { number: Math.floor(tag / 8), wireType: tag % 8 };
}

/** The bytes of a length-delimited field; a view, not a copy. */
export function readBytes(reader: Reader): Uint8Array {
  const length = readNumber(reader);
  if (reader.isMalformed || length > reader.bytes.length - reader.position) {
    reader.isMalformed = true;
    return new Uint8Array();
  }
  const start = reader.position;
  reader.position += length;
  return reader.bytes.subarray(start, reader.position);
}

export function readDouble(reader: Reader): number {
  if (reader.bytes.length - reader.position < 8) {
    reader.isMalformed = true;
    return 0;
  }
  const { buffer, byteOffset } = reader.bytes;
  const value = new DataView(buffer, byteOffset + reader.position, 8).getFloat64(0, true);
  reader.position += 8;
  return value;
}

/** Steps over a field that is not known. */
export function skipField(reader: Reader, wireType: number): void {
  let openGroups = 0;
  let type = wireType;
  for (;;) {
    if (type === 3) openGroups += 1;
    else if (type === 4) openGroups -= 1;
    else skipValue(reader, type);
    if (openGroups < 0 || (openGroups > 0 && !hasMore(reader))) reader.isMalformed = true;
    if (openGroups <= 0 || reader.isMalformed) return;
    type = readTag(reader).wireType;
  }
}

function skipValue(reader: Reader, wireType: number): void {
  switch (wireType) {
    case 0:
      readVarint(reader);
      return;
    case 1:
      reader.position += 8;
      break;
    case 2:
      readBytes(reader);
      return;
    case 5:
      reader.position += 4;
      break;
    default:
      reader.isMalformed = true;
  }
  if (reader.position > reader.bytes.length) reader.isMalformed = true;
}
