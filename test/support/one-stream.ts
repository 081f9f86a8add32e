/**
 * The command that runs another one with its errors in the stream of its output, so that both are read in the order in which it
 * wrote them. Of two streams it is a matter of chance which one is read first.
 */
export function inOneStream(
  command: string,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  return { command: "sh", args: ["-c", 'exec "$0" "$@" 2>&1', command, ...args] };
}
