/** What the patterns of the schemas mean, as text. A test checks that none is missing. */
const words: Readonly<Record<string, string>> = {
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$":
    "lower-case letters, digits, hyphens and dots, with a letter or digit at both ends of each part between dots",
  "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}":
    "a UUID: the uid of the agent's Lease in its cluster",
  "[a-z0-9]([-a-z0-9]*[a-z0-9])?": "lower-case letters, digits and hyphens",
  "[a-z0-9]([-a-z0-9]*[a-z0-9])?([a-z0-9]([-a-z0-9]*[a-z0-9])?)*": "lower-case letters, digits and hyphens",
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$":
    "an amount such as 500m, 2 or 128Mi",
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": "lower-case letters, digits and hyphens, with a letter or digit at both ends",
  "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$":
    "lower-case letters, digits, hyphens and dots, with a letter or digit at both ends",
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?$":
    "a name, or workspace/name, of lower-case letters, digits and hyphens",
  "^[a-z0-9*?]([-a-z0-9*?]*[a-z0-9*?])?$":
    "a name of lower-case letters, digits and hyphens, with * and ? as wildcards",
  "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$":
    "an optional DNS prefix and a slash, then at most 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends",
  "^([A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$":
    "an optional DNS prefix and a slash, then at most 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends",
  "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$":
    "nothing, or letters, digits, hyphens, underscores and dots, with a letter or digit at both ends",
  "^(0|(([0-9]{1,6}([.][0-9]{1,9})?h|[0-9]{1,7}([.][0-9]{1,9})?m|[0-9]{1,9}([.][0-9]{1,9})?(s|ms|us|µs|ns))+))$":
    "a Go duration such as 90s, 15m or 1h30m (there are no days or weeks: 24h is a day)",
  "^-?(0|([0-9]+([.][0-9]*)?(ns|us|µs|ms|s|m|h))+)$":
    "a Go duration such as 90s, 15m or 240h; 0 and less mean without end",
  "^(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\\s]+-----END CERTIFICATE-----\\s*)+$":
    "certificates in PEM form and nothing else",
  "^https://[^\\s/?#@]+(/[^\\s?#]*)?$": "an https address without user, password, ? and #",
  "^sha256:[0-9a-f]{64}$": "sha256: and 64 hexadecimal digits in lower case",
  "^[!-~]+$": "printable ASCII characters without spaces",
  "^[-._a-zA-Z0-9]+$": "letters, digits, hyphens, underscores and dots",
  "^[0-9]+%?$": "a number or a percentage",
  "^([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][-+]?[0-9]+)?$":
    "an amount such as 500m, 2 or 128Mi",
  "^[A-Z][A-Za-z0-9]*$": "a kind such as Cluster",
  "^[A-Za-z0-9_]([-A-Za-z0-9_.+]*[A-Za-z0-9_])?$":
    "letters, digits, underscores, dots, plus signs and hyphens, with a letter or digit at both ends",
  "^[A-Za-z_][A-Za-z0-9_]*$": "letters, digits and underscores, without a digit in front",
  "^[a-z0-9]([-a-z0-9._:/]*[a-z0-9])?(@sha256:[0-9a-f]{64})?$": "an image name such as registry.example.com/agent",
};

/** The pattern as text: "lower-case letters, digits and hyphens, ...". */
export function wordsOfPattern(pattern: unknown): string | undefined {
  return typeof pattern === "string" && Object.hasOwn(words, pattern) ? words[pattern] : undefined;
}
