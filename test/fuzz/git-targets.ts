import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import * as fs from "node:fs";
import { parseCommit, parseCommitSignature } from "../../src/git/objects/commit-format.ts";
import { malformedObject } from "../../src/git/objects/git-object.ts";
import { parseTree } from "../../src/git/objects/tree-entries.ts";
import { openIsomorphicObjects } from "../../src/git/local/isomorphic-objects.ts";
import { addPack } from "../../src/git/local/pack-folder.ts";
import { parsePackedRefs } from "../../src/git/local/packed-refs.ts";
import { parseAllowedSigners } from "../../src/git/signing/allowed-signers.ts";
import { parseSshSignature } from "../../src/git/signing/ssh-signature.ts";
import { parseSshPublicKey } from "../../src/git/signing/ssh-public-key.ts";
import type { HttpTransport } from "../../src/git/wire/http-transport.ts";
import { readPackets } from "../../src/git/wire/pkt-line.ts";
import { pushPack } from "../../src/git/wire/receive-pack.ts";
import { makeUploadPack } from "../../src/git/wire/upload-pack.ts";
import type { Dice } from "./random-input.ts";
import { randomText } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf, pure, takeAll } from "./target.ts";

const id = "0123456789abcdef0123456789abcdef01234567";

async function* inPieces(
  bytes: Uint8Array,
  pieceBytes = 1 + (bytes.length % 97) + Math.floor(bytes.length / 2000),
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) void item;
}

function packet(line: string): string {
  return `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, "0")}${line}`;
}

const packets: Target = {
  seeds: [inputOf("", `${packet(`want ${id}\n`)}0000`), inputOf("", `0001${packet("a")}0002`)],
  generate: (dice) => {
    const lengthOf = (): string =>
      dice
        .below(dice.pick([8, 200, 65_600]))
        .toString(16)
        .padStart(4, "0");
    const one = (): string => (dice.next() < 0.7 ? packet(randomText(dice)) : `${lengthOf()}${randomText(dice)}`);
    return inputOf("", Array.from({ length: dice.below(6) }, one).join(""));
  },
  open: pure(({ bytes }) => drain(readPackets(inPieces(bytes)))),
};

function closed(body: Buffer): Buffer {
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

function entryHead(typeCode: number, sizeBytes: number): Buffer {
  const bytes = [(typeCode << 4) | (sizeBytes & 15)];
  for (let rest = sizeBytes >> 4; rest > 0; rest >>= 7) bytes.push((bytes.pop() ?? 0) | 128, rest & 127);
  return Buffer.from(bytes);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [128 | (value & 127), ...varint(value >> 7)];
}

/** Copies and insertions, most of which fit a base of this size. */
function randomDelta(dice: Dice, baseBytes: number): Buffer {
  const parts: number[] = [];
  let targetBytes = 0;
  for (let count = dice.below(4); count >= 0; count -= 1) {
    if (dice.next() < 0.5) {
      const length = 1 + dice.below(20);
      parts.push(length, ...Array.from({ length }, () => dice.below(256)));
      targetBytes += length;
    } else {
      const [offset, length] = [dice.below(baseBytes + 2), dice.below(baseBytes + 2)];
      parts.push(0x91, offset & 255, length & 255);
      targetBytes += length & 255;
    }
  }
  const lie = (): number => (dice.next() < 0.9 ? 0 : dice.below(300));
  return Buffer.from([...varint(baseBytes + lie()), ...varint(targetBytes + lie()), ...parts]);
}

/** A pack of some objects and deltas, whose sizes, offsets and bases are now and then wrong. */
function randomPack(dice: Dice): Buffer {
  const count = 1 + dice.below(6);
  const head = Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1");
  head.writeUInt32BE(dice.next() < 0.95 ? count : dice.below(2 ** 31), 8);
  const pieces: Buffer[] = [head];
  const starts: { readonly at: number; readonly sizeBytes: number }[] = [];
  let position = head.length;
  for (let index = 0; index < count; index += 1) {
    const base = starts.length === 0 ? undefined : dice.pick(starts);
    const isDelta = base !== undefined && dice.next() < 0.5;
    const content = isDelta ? randomDelta(dice, base.sizeBytes) : Buffer.from(randomText(dice));
    const declared = content.length + (dice.next() < 0.95 ? 0 : dice.below(1000));
    const typeCode = isDelta ? dice.pick([6, 6, 7]) : dice.next() < 0.95 ? 1 + dice.below(4) : dice.below(8);
    const distance = position - (dice.next() < 0.95 ? (base?.at ?? 0) : dice.below(position));
    const link = typeCode === 6 ? offsetBytes(distance) : typeCode === 7 ? Buffer.from(id, "hex") : Buffer.alloc(0);
    const entry = Buffer.concat([entryHead(typeCode, declared), link, deflateSync(content)]);
    starts.push({ at: position, sizeBytes: content.length });
    position += entry.length;
    pieces.push(entry);
  }
  return Buffer.concat(pieces);
}

/** Source: git, gitformat-pack(5), "offset encoding". */
function offsetBytes(distance: number): Buffer {
  const bytes = [distance & 127];
  for (let rest = distance >> 7; rest > 0; rest >>= 7) bytes.unshift(((rest -= 1) & 127) | 128);
  return Buffer.from(bytes);
}

const base = Buffer.from("the quick brown fox\n");
const baseEntry = Buffer.concat([entryHead(3, base.length), deflateSync(base)]);
const delta = Buffer.from([base.length, 9, 0x90, 4, 5, ...Buffer.from("delta")]);
const packStart = Buffer.from("PACK\0\0\0\x02\0\0\0\x02", "latin1");
const packSeed = Buffer.concat([
  packStart,
  baseEntry,
  entryHead(6, delta.length),
  offsetBytes(baseEntry.length),
  deflateSync(delta),
]);

/** Stores a pack as a fetch does, and reads its objects. The checksum is made to fit: it stops no attacker. */
const packs: Target = {
  seeds: [inputOf("", packSeed), inputOf("", Buffer.concat([packStart.subarray(0, 11), Buffer.from([1]), baseEntry]))],
  generate: (dice) => inputOf("", randomPack(dice)),
  open: async () => {
    const gitdir = await mkdtemp(join(tmpdir(), "rollcall-fuzz-"));
    const folder = join(gitdir, "objects", "pack");
    const damaged = (name: string, cause: unknown) => malformedObject(name, String(cause));
    const { take } = await pure(async ({ bytes }) => {
      const names = await addPack(gitdir, closed(Buffer.from(bytes)), { scratchName: "scratch" });
      const objects = openIsomorphicObjects({ gitdirs: [gitdir], fs, damaged });
      try {
        for (const name of idsOf(await readFile(join(folder, names[1] ?? "")))) await objects.read(name);
      } finally {
        for (const name of names) await rm(join(folder, name), { force: true });
      }
    })();
    return { take, close: () => rm(gitdir, { recursive: true, force: true }) };
  },
};

function idsOf(index: Buffer): string[] {
  const count = index.readUInt32BE(8 + 255 * 4);
  const start = 8 + 256 * 4;
  return Array.from({ length: Math.min(count, 20) }, (_, at) =>
    index.toString("hex", start + at * 20, start + at * 20 + 20),
  );
}

const commitText = `tree ${id}\nparent ${id}\nauthor A <a@b> 1700000000 +0100\ncommitter A <a@b> 1700000000 +0100\nencoding ISO-8859-1\ngpgsig -----BEGIN SSH SIGNATURE-----\n AAAA\n -----END SSH SIGNATURE-----\n\nsubject\n`;
const tree = Buffer.concat([
  Buffer.from("100644 a\0"),
  Buffer.from(id, "hex"),
  Buffer.from("40000 b\0"),
  Buffer.from(id, "hex"),
]);
const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFXMjxwpMr7mkLY1QPhUzHrMwNjV8E5oP2Yq7pWwBp5V";
const signers = `a@b namespaces="git",valid-after="20240101" ${key} comment\n*@c,!d@c ${key}\n# x\n`;
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** Commits, trees, signatures and lists of signers. */
const objects: Target = {
  seeds: [
    inputOf("", commitText),
    inputOf("", tree),
    inputOf("", signers),
    inputOf("", `# pack-refs with: peeled\n${id} refs/heads/main\n^${id}\n`),
    inputOf("", Buffer.from((key.split(" ")[1] ?? "").toString(), "base64")),
    inputOf("", "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQ==\n-----END SSH SIGNATURE-----"),
  ],
  generate: (dice) => {
    const headers = ["tree", "parent", "author", "committer", "gpgsig", "encoding", "mergetag", randomText(dice)];
    const values = [
      id,
      "A <a@b> 1 +0000",
      "<",
      "utf-16",
      randomText(dice),
      `${randomText(dice)}\n ${randomText(dice)}`,
    ];
    const lines = Array.from({ length: dice.below(7) }, () => `${dice.pick(headers)} ${dice.pick(values)}\n`);
    return inputOf("", `tree ${id}\n${lines.join("")}\n${randomText(dice)}`);
  },
  open: takeAll([
    ({ bytes }) => parseCommit(id, bytes),
    ({ bytes }) => parseSshSignature(parseCommitSignature(id, bytes)?.armoured ?? ""),
    ({ bytes }) => parseTree(id, bytes, "sha1"),
    ({ bytes }) => parseTree(id, bytes, "sha256"),
    ({ bytes }) => parseAllowedSigners(textOf(bytes)),
    ({ bytes }) => parsePackedRefs(textOf(bytes)),
    ({ bytes }) => parseSshSignature(textOf(bytes)),
    ({ bytes }) => parseSshPublicKey(bytes),
  ]),
};

const credential = "secret-of-the-git-server";
/** Between two answers of an input. */
const separator = "\n@@\n";

/** A server that gives these answers one after the other, the last one again and again. */
function answering({ bytes }: Input): HttpTransport {
  const answers = Buffer.from(bytes)
    .toString("latin1")
    .split(separator)
    .map((text) => Buffer.from(text, "latin1"));
  const url = "https://git.example/a.git";
  return {
    url,
    effectiveUrl: url,
    secrets: [credential],
    send: async () => inPieces((answers.length > 1 ? answers.shift() : answers[0]) ?? Buffer.alloc(0)),
    close: async () => undefined,
  };
}

async function askServer(input: Input): Promise<void> {
  const ref = "refs/heads/main";
  const ask = [
    () => makeUploadPack(answering(input), 1 << 20).readRef(ref),
    () => makeUploadPack(answering(input), 1 << 20).readRefs("refs/heads/"),
    () => makeUploadPack(answering(input), 1 << 20).fetchPack({ wants: [id], haves: [] }),
    () => pushPack(answering(input), { ref, oldId: id, newId: "1".repeat(40), pack: closed(packSeed) }),
  ];
  for (const one of ask) {
    const { take } = await pure(async () => {
      await one().catch((error: unknown) => {
        if (String(error).includes(credential)) throw new Error("an error repeats the credential");
        throw error;
      });
    })();
    await take(input);
  }
}

const version2 = `${packet("# service=git-upload-pack\n")}0000${packet("version 2\n")}${packet("ls-refs\n")}${packet("fetch=shallow\n")}0000`;
const version1 = `${packet(`${id} refs/heads/main\0side-band-64k report-status delete-refs\n`)}${packet(`shallow ${id}\n`)}0000`;
const refs = `${packet(`${id} refs/heads/main\n`)}0000`;
const band = (number: number, text: string): string => packet(`${String.fromCharCode(number)}${text}`);
const pack = `${packet("packfile\n")}${band(2, "counting\n")}${band(1, closed(packSeed).toString("latin1"))}0000`;
const report = `${band(1, `${packet("unpack ok\n")}${packet("ng refs/heads/main denied\n")}0000`)}0000`;

/** What a git server answers to reads and pushes, by both versions of the protocol. */
const gitserver: Target = {
  seeds: [
    [version2, refs],
    [version2, pack],
    [version1, `${packet("NAK\n")}${band(1, "PACK")}0000`],
    [version1, report, version1],
    [packet(`ERR no ${credential}\n`)],
  ].map((answers) => inputOf("", Buffer.from(answers.join(separator), "latin1"))),
  generate: (dice) => {
    const lines = [`${id} ${randomText(dice)}\n`, "version 2\n", "packfile\n", "NAK\n", `ERR ${randomText(dice)}`];
    const random = (): string =>
      dice.pick([...lines.map(packet), band(dice.below(5), randomText(dice)), "0000", "0001", randomText(dice)]);
    const answer = (): string =>
      dice.pick([version1, version2, refs, pack, report, `${random()}${random()}${random()}0000`]);
    return inputOf("", Buffer.from([answer(), answer(), answer()].join(separator), "latin1"));
  },
  open: pure(askServer),
};

/** What a git server sends, and the content of its objects. */
export const gitTargets = { packets, packs, objects, gitserver };
