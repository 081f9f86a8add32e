import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { digestOf } from "./digests.mjs";

/** Where a package has the list of its files and the list's signature: src/system/verify-package.ts reads both. */
export const packageListPath = "dist/release-files.json";
export const packageSignaturePath = `${packageListPath}.sig`;

const block = 512;

/** The list that is in the package: SHA-256 of each of `paths` below `root`, and what it was made of. */
export function packageList(root, { version, commit, paths }) {
  const files = [...paths].sort().map((path) => ({ path, sha256: digestOf(join(root, path)) }));
  return { _type: "https://rollcall.dev/package-files/v1", version, commit, files };
}

/** The content of a file of a package, an archive as npm makes it; undefined where it has none of that path. */
export function readPackaged(archive, path) {
  const tar = gunzipSync(archive);
  const found = entriesOf(tar).find(({ name }) => name === `package/${path}`);
  return found && tar.subarray(found.start, found.start + found.size);
}

/** The package with one more file, at its end. The others stay as they are, to the byte. */
export function addPackaged(archive, path, content) {
  const tar = gunzipSync(archive);
  const end = entriesOf(tar).at(-1)?.end ?? 0;
  const padding = Buffer.alloc(paddedSize(content.length) - content.length);
  const closing = Buffer.alloc(2 * block);
  return gzipSync(Buffer.concat([tar.subarray(0, end), header(path, content.length), content, padding, closing]), {
    level: 9,
  });
}

/** Each entry of a tar archive by its header; a name longer than that has is not read. */
function entriesOf(tar) {
  const entries = [];
  for (let at = 0; at + block <= tar.length && tar[at] !== 0; at = entries.at(-1).end) {
    const size = Number.parseInt(textAt(tar, at + 124, 12), 8);
    if (!Number.isSafeInteger(size)) throw new Error("the package is no tar archive");
    const start = at + block;
    entries.push({ name: textAt(tar, at, 100), size, start, end: start + paddedSize(size) });
  }
  return entries;
}

/** Owner, mode and time are those that npm gives each file of a package. */
function header(path, size) {
  const bytes = Buffer.alloc(block);
  const put = (at, text) => bytes.write(text, at, "latin1");
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  put(0, `package/${path}`);
  put(100, octal(0o644, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(Date.UTC(1985, 9, 26, 8, 15) / 1000, 12));
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\0" + "00");
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  put(148, `${octal(sum, 7)} `);
  return bytes;
}

function textAt(bytes, at, length) {
  return bytes.toString("latin1", at, at + length).replace(/[\0 ].*$/su, "");
}

function paddedSize(size) {
  return Math.ceil(size / block) * block;
}
