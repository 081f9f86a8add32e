/** The fields of a message as the encoding has them: `number=value`, lengths of nested ones left out. */
function fieldsOf(bytes: Buffer): string[] {
  const fields: string[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Math.floor(tag / 8);
    if (tag % 8 === 0) fields.push(`${field}=${varint()}`);
    else if (tag % 8 === 1) fields.push(`${field}=${bytes.readDoubleLE((at += 8) - 8)}`);
    else {
      const length = varint();
      fields.push(`${field}:${bytes.subarray(at, (at += length)).toString("latin1")}`);
    }
  }
  return fields;
}

/** The fields of the message at a path of field numbers; the first of those that repeat. */
export function fieldsAt(message: Buffer, ...path: readonly number[]): string[] {
  let bytes = message;
  for (const field of path) {
    const found = fieldsOf(bytes).find((one) => one.startsWith(`${field}:`)) ?? `${field}:`;
    bytes = Buffer.from(found.slice(`${field}:`.length), "latin1");
  }
  return fieldsOf(bytes);
}
