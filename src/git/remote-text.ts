/**
 * Text that a git server sent, fit for a message: secrets replaced by value, control characters (terminal escapes among
 * them) replaced by spaces, cut after 500 characters.
 */
export function cleanRemoteText(text: string, secrets: readonly string[]): string {
  const redacted = redact(text, secrets);
  const visible = redacted.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return visible.length > 500 ? `${visible.slice(0, 500)}...` : visible;
}

/** `text` without any of `secrets`, in plain, percent-encoded and base64 form. */
export function redact(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret === "") continue;
    const base64 = Buffer.from(secret, "utf8").toString("base64");
    for (const form of [secret, encodeURIComponent(secret), base64]) result = result.replaceAll(form, "***");
  }
  return result;
}
