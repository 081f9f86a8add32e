/** Whether an output gets colours: it is a terminal that has them, and NO_COLOR is not set (https://no-color.org). */
export function isColourful(
  stdout: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  return stdout.isTTY === true && environment["TERM"] !== "dumb" && (environment["NO_COLOR"] ?? "") === "";
}
