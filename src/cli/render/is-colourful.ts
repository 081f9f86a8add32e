import pc from "picocolors";

/** Whether an output gets colours: it is a terminal that has them, and NO_COLOR is not set. */
export function isColourful(
  stdout: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return stdout.isTTY === true && pc.isColorSupported && (environment["NO_COLOR"] ?? "") === "";
}
