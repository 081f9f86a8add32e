import { AppError } from "../../core/errors.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";

const place = "the file of --git-known-hosts-file, or `known_hosts` in the Secret of Repository.spec.secretRef";

/** Where the keys of the server are missing. */
export const hostsRemedy = `Write what \`ssh-keyscan HOST\` prints to ${place}. Compare it first with the keys that the server publishes.`;

/** Where the deploy key is missing or is none. */
export const keyRemedy =
  "Name the deploy key with --git-ssh-key-file, or put it into the Secret of Repository.spec.secretRef as `identity`: a private key without passphrase. Keys of your own ssh agent are not used.";

/** What ssh prints, and what it is about. Source: OpenSSH, sshconnect.c and sshkey.c; its messages are in one language. */
const forms = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED/u,
    reason: "host-key",
    message: "the server has another key than known_hosts has for it",
    detail: (text: string) => /SHA256:[A-Za-z0-9+/]{43}/u.exec(text)?.[0],
    remedy: `Compare the fingerprint with those that the server publishes. If it is there, the server has a new key: replace the old one in ${place}. If not, another machine answers in its place.`,
  },
  {
    pattern: /Host key verification failed/u,
    reason: "host-key",
    message: "known_hosts has no key of the server",
    detail: (text: string) => /No \S+ host key is known/u.exec(text)?.[0],
    remedy: hostsRemedy,
  },
  {
    pattern: /^Load key "/mu,
    reason: "key",
    message: "ssh cannot read the deploy key",
    detail: (text: string) => /^Load key "[^"\n]*": (.+)$/mu.exec(text)?.[1],
    remedy: `${keyRemedy} The file that ends with .pub is the public key.`,
  },
  {
    pattern: /Permission denied \(|Too many authentication failures/u,
    reason: "key",
    message: "the server refuses the deploy key",
    detail: withoutAdvice,
    remedy:
      "Add its public key to the server, as `ssh-keygen -y -f FILE` prints it, with the right to read, and to push where the status is written. Check the user in the address: most servers want git@.",
  },
] as const;

/** What git adds whenever a connection ended, for whatever reason. Source: connect.c, die_initial_contact(). */
const advice =
  "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";

/** What git and ssh printed, without the advice of git that names no reason. */
export function withoutAdvice(errorText: string): string {
  return errorText.replaceAll(advice, "");
}

/** The error of a connection that ended because of a key, or undefined. `errorText`: what git and ssh printed. */
export function sshRefusal(url: string, errorText: string): AppError | undefined {
  const form = forms.find(({ pattern }) => pattern.test(errorText));
  if (form === undefined) return undefined;
  const { reason, message, detail, remedy } = form;
  const words = cleanRemoteText(detail(errorText) ?? "", { secrets: [] });
  const ending = words === "" ? "" : `: ${words}`;
  return new AppError("E_GIT_AUTH", `read ${url}: ${message}${ending}`, { remedy, data: { reason } });
}

/**
 * Whether ssh printed that there was no connection, or one that ended before anything was asked, or git that it broke in the
 * middle of an answer. Source: ssh_connect(); git, fetch-pack.c and pkt-line.c.
 */
export function isUnreachable(errorText: string): boolean {
  return (
    /^(?:ssh: |kex_exchange_identification: |Connection (?:timed out|closed|reset) )/mu.test(errorText) ||
    /^(?:fetch-pack: unexpected disconnect |fatal: (?:early EOF|the remote end hung up unexpectedly)$)/imu.test(
      errorText,
    )
  );
}
