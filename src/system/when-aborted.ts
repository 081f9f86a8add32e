/** Resolves when the signal is aborted. Who stops waiting earlier aborts `over`: then no listener stays on the signal. */
export async function whenAborted(signal: AbortSignal, over?: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const options = { once: true, ...(over === undefined ? {} : { signal: over }) };
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), options));
}
