import type { ErrorCode } from "../core/error-codes.ts";
import { createLineTable } from "../core/yaml/line-table.ts";
import type { TextPosition } from "../core/yaml/line-table.ts";

/** A file may have at most this many bytes. */
export const maxFileBytes = 256 * 1024;

/** Why bytes are no text. */
export interface DecodeFailure extends TextPosition {
  readonly code: Extract<ErrorCode, "E_FILE_TOO_LARGE" | "E_ENCODING">;
  readonly message: string;
  readonly fix?: string;
}

/** Control characters that YAML does not allow, tab and line ends excepted. */
const controlCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u;

/**
 * The text of a file, without a byte order mark, or why it has none: too large (checked before anything else), not
 * UTF-8, or control characters in it.
 */
export function decodeText(bytes: Uint8Array): string | DecodeFailure {
  if (bytes.byteLength > maxFileBytes) {
    const sizeKiB = Math.ceil(bytes.byteLength / 1024);
    return {
      code: "E_FILE_TOO_LARGE",
      line: 1,
      column: 1,
      message: `the file has ${sizeKiB} KiB, more than the ${maxFileBytes / 1024} KiB that are read; nothing in it was checked`,
      fix: "Split it into several files, or list it in .rollcallignore when it declares nothing of the fleet.",
    };
  }
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return utf16;
  const text = decodeUtf8(bytes);
  if (text === undefined) return notUtf8(bytes);
  const control = controlCharacter.exec(text);
  if (control === null) return text;
  const code = (control[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return {
    code: "E_ENCODING",
    ...createLineTable(text)(control.index),
    message: `the file has the control character U+${code}, which YAML does not allow`,
    fix: "Delete the character, or write it as an escape in double quotes.",
  };
}

/** It keeps nothing between texts; making one takes longer than decoding a small file. */
const strictDecoder = new TextDecoder("utf-8", { fatal: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    // The decoder reports bytes that are not UTF-8 only by an error; notUtf8 finds the first invalid one.
    return undefined;
  }
}

/** Without a byte order mark, the same half of the first two characters is 0: each document begins with ASCII. */
function utf16Of([first, second, third, fourth]: Uint8Array): DecodeFailure | undefined {
  const found = { code: "E_ENCODING", line: 1, column: 1, message: "the file is UTF-16 text, not UTF-8" } as const;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return found;
  if (second === undefined || (first === 0) === (second === 0)) return undefined;
  if (third !== undefined && ((first === 0) !== (third === 0) || (second === 0) !== (fourth === 0))) return undefined;
  // Without the mark, iconv has to be given the order of the halves.
  const fix = `Save the file as UTF-8, for example with \`iconv -f UTF-16${first === 0 ? "BE" : "LE"} -t UTF-8 FILE > NEW\`.`;
  return { ...found, fix };
}

function notUtf8(bytes: Uint8Array): DecodeFailure {
  const lenient = new TextDecoder("utf-8").decode(bytes);
  const position = createLineTable(lenient)(Math.max(0, lenient.indexOf("\ufffd")));
  const fix = "Save the file as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW`.";
  return { code: "E_ENCODING", ...position, message: "the file is not UTF-8 text", fix };
}
