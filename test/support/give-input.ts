import type { Writable } from "node:stream";

/**
 * Writes all the input that a program gets. One that ends before it has read this fails by its exit code, if at all: a write to it,
 * even of nothing, fails with EPIPE, which without a listener ends the process of the tests.
 */
export function giveInput(stdin: Writable | null, input: string | Uint8Array = ""): void {
  stdin?.on("error", () => undefined);
  stdin?.end(input);
}
