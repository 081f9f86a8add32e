import type { Chunks } from "../core/chunks.ts";
import { compareText } from "../core/compare-text.ts";
import { SortedLines } from "../core/sorted-lines.ts";
import type { StatusFile } from "./render-status.ts";
import { checksumLine } from "./status-signature.ts";

/** The files of the status branch but checksums and signature, kept from one commit to the next. */
export class StatusFiles {
  readonly #files = new Map<string, StatusFile>();
  readonly #checksums = new SortedLines(compareText);
  readonly #changed = new Set<string>();

  /** Sets the content of a path; undefined removes it. */
  set(path: string, file: StatusFile | undefined): void {
    if (this.#files.get(path)?.digest === file?.digest) return;
    if (file === undefined) this.#files.delete(path);
    else this.#files.set(path, file);
    this.#checksums.set(path, file && checksumLine(path, file.digest));
    this.#changed.add(path);
  }

  get(path: string): StatusFile | undefined {
    return this.#files.get(path);
  }

  paths(): Iterable<string> {
    return this.#files.keys();
  }

  /** Paths whose content may differ from what it was at the last call of `settle`. */
  changed(): Iterable<string> {
    return this.#changed;
  }

  /** All files are committed as they are. */
  settle(): void {
    this.#changed.clear();
  }

  /** The branch's file of checksums. */
  checksums(): Chunks {
    return this.#checksums.bytes();
  }
}
