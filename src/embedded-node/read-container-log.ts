import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { ContainerLog } from "./container-log.ts";

export interface LogQuery {
  readonly isFollowing: boolean;
  readonly hasTimestamps: boolean;
  readonly tailLines?: number;
  /** Only lines from then on. */
  readonly sinceMs?: number;
  /** The answer is cut after so many bytes. */
  readonly limitBytes?: number;
  /** `stdout` or `stderr` alone; default both. */
  readonly stream?: "stdout" | "stderr";
  readonly signal: AbortSignal;
}

interface Line {
  readonly time: string;
  readonly stream: string;
  readonly isPart: boolean;
  readonly text: Buffer;
}

const chunkBytes = 64 << 10;

/** A run's log as `kubectl logs` shows it. Following ends with the run, or with the signal. */
export async function* readContainerLog(log: ContainerLog, query: LogQuery): AsyncGenerator<Uint8Array> {
  let remaining = query.limitBytes ?? Infinity;
  let wasPart = false;
  for await (const line of selectLines(log, query)) {
    if (query.stream !== undefined && line.stream !== query.stream) continue;
    const head = query.hasTimestamps && !wasPart ? Buffer.from(`${line.time} `) : Buffer.alloc(0);
    const bytes = Buffer.concat([head, line.text, Buffer.from(line.isPart ? "" : "\n")]);
    wasPart = line.isPart;
    yield bytes.subarray(0, Math.min(bytes.length, remaining));
    remaining -= bytes.length;
    if (remaining <= 0) return;
  }
}

async function* selectLines(log: ContainerLog, query: LogQuery): AsyncGenerator<Line> {
  const isWanted = ({ time, stream }: Line) =>
    (query.stream === undefined || stream === query.stream) &&
    (query.sinceMs === undefined || Date.parse(time) >= query.sinceMs);
  const position = { rotations: log.rotations - 1, offset: 0 };
  let tail: Line[] = [];
  for await (const line of readOn(log, position, query.signal)) {
    if (!isWanted(line)) continue;
    if (query.tailLines === undefined) yield line;
    else {
      tail.push(line);
      if (tail.length > query.tailLines * 2 + 1) tail = lastLines(tail, query.tailLines);
    }
  }
  if (query.tailLines !== undefined) yield* lastLines(tail, query.tailLines);
  while (query.isFollowing && !query.signal.aborted) {
    // Both before the read: what comes while it ends is read in the next turn.
    const { isEnded: wasEnded, writes } = log;
    yield* readOn(log, position, query.signal);
    if (wasEnded) return;
    await log.whenChanged(writes, query.signal);
  }
}

/** Where a reader is: how many files came before the one that it reads, and behind which line of it. */
interface Position {
  rotations: number;
  offset: number;
}

/** Lines from a position on, over all files that are left; moves the position behind the last of them. */
async function* readOn(log: ContainerLog, position: Position, signal: AbortSignal): AsyncGenerator<Line> {
  for (;;) {
    const opened = await openAt(log, position, signal);
    if (opened === undefined) return;
    if (opened.file !== undefined) yield* readLines(opened.file, position, signal);
    if (opened.isNewest) return;
    position.rotations += 1;
    position.offset = 0;
  }
}

/** The file at a position, or the oldest one where that is deleted; undefined when the signal is aborted. */
async function openAt(
  log: ContainerLog,
  position: Position,
  signal: AbortSignal,
): Promise<{ readonly file: FileHandle | undefined; readonly isNewest: boolean } | undefined> {
  while (!signal.aborted) {
    const { rotations, isRotating, writes } = log;
    if (isRotating) {
      await log.whenChanged(writes, signal);
      continue;
    }
    if (position.rotations < rotations - 1) Object.assign(position, { rotations: rotations - 1, offset: 0 });
    const isNewest = position.rotations === rotations;
    // Nothing is written yet, or nothing came before.
    const file = await open(isNewest ? log.path : `${log.path}.1`).catch(() => undefined);
    // Renamed meanwhile, it may be another file.
    if (!log.isRotating && log.rotations === rotations) return { file, isNewest };
    await file?.close();
  }
  return undefined;
}

/** Whole lines from an offset on; moves the offset behind the last of them, and closes the file. */
async function* readLines(file: FileHandle, position: Position, signal: AbortSignal): AsyncGenerator<Line> {
  try {
    let rest = Buffer.alloc(0);
    let readOffset = position.offset;
    while (!signal.aborted) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, readOffset);
      if (bytesRead === 0) return;
      readOffset += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      for (let newline = rest.indexOf(10); newline >= 0; newline = rest.indexOf(10)) {
        const line = parseLine(rest.subarray(0, newline));
        rest = rest.subarray(newline + 1);
        position.offset += newline + 1;
        if (line !== undefined) yield line;
      }
    }
  } finally {
    await file.close();
  }
}

function parseLine(line: Buffer): Line | undefined {
  const first = line.indexOf(32);
  const second = line.indexOf(32, first + 1);
  const third = line.indexOf(32, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  return {
    time: line.toString("utf8", 0, first),
    stream: line.toString("utf8", first + 1, second),
    isPart: line.toString("utf8", second + 1, third) === "P",
    text: line.subarray(third + 1),
  };
}

/** The last `count` lines; parts belong to the line that they end in. */
function lastLines(lines: readonly Line[], count: number): Line[] {
  let found = 0;
  for (let index = lines.length - 1; index >= 0; index--) {
    if (lines[index]?.isPart === true) continue;
    found += 1;
    if (found > count) return lines.slice(index + 1);
  }
  return [...lines];
}
