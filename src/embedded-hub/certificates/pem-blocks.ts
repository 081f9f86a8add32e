/** A part of a PEM text. */
export interface PemBlock {
  /** `CERTIFICATE REQUEST` of `-----BEGIN CERTIFICATE REQUEST-----`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer<ArrayBuffer>;
}

const mark = "-----";

/** The blocks of a PEM text, in order; what is between them is passed over, and so are blocks that are not whole. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  let open: { readonly type: string; readonly lines: string[]; hasHeaders: boolean } | undefined;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    const type = labelOf(trimmed, "BEGIN ");
    if (type !== undefined) {
      open = { type, lines: [], hasHeaders: false };
    } else if (trimmed.startsWith(`${mark}END `)) {
      const bytes = labelOf(trimmed, "END ") === open?.type ? decodeBase64(open?.lines ?? []) : undefined;
      if (open !== undefined && bytes !== undefined)
        blocks.push({ type: open.type, hasHeaders: open.hasHeaders, bytes });
      open = undefined;
    } else if (open !== undefined && open.lines.length === 0 && trimmed.includes(":")) {
      open.hasHeaders = true;
    } else {
      open?.lines.push(trimmed);
    }
  }
  return blocks;
}

function labelOf(line: string, kind: "BEGIN " | "END "): string | undefined {
  const begin = `${mark}${kind}`;
  if (!line.startsWith(begin) || !line.endsWith(mark) || line.length < begin.length + mark.length) return undefined;
  return line.slice(begin.length, -mark.length);
}

function decodeBase64(lines: readonly string[]): Buffer<ArrayBuffer> | undefined {
  const text = lines.join("");
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/u.test(text) ? Buffer.from(text, "base64") : undefined;
}
