import { describe, expect, it } from "vitest";
import { isUnreachable, sshRefusal, withoutAdvice } from "../../../../src/git/engine/ssh-refusal.ts";

const url = "ssh://git@git.example.org/fleet.git";
const ofGit =
  "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n";
const denied = "git@git.example.org: Permission denied (publickey).\r\n";
const fingerprint = "SHA256:gYuQN0Ws8B8iJ8hjMBU16eG5gBctfn8rIEchIlLHsfw";

describe("sshRefusal", () => {
  it.each([
    {
      what: "a server with another key than before",
      text: `@@@@@@@@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nThe fingerprint for the ED25519 key sent by the remote host is\n${fingerprint}.\nAdd correct host key in /cache/ssh/known_hosts to get rid of this message.\nHost key verification failed.\r\n${ofGit}`,
      message: `the server has another key than known_hosts has for it: ${fingerprint}`,
      remedy: /another machine answers/u,
      reason: "host-key",
    },
    {
      what: "a server that known_hosts does not have",
      text: `No ED25519 host key is known for git.example.org and you have requested strict checking.\r\nHost key verification failed.\r\n${ofGit}`,
      message: "known_hosts has no key of the server: No ED25519 host key is known",
      remedy: /ssh-keyscan HOST/u,
      reason: "host-key",
    },
    {
      what: "a server with a revoked key, which ssh describes in other words",
      text: `Host key verification failed.\r\n${ofGit}`,
      message: "known_hosts has no key of the server",
      remedy: /ssh-keyscan HOST/u,
      reason: "host-key",
    },
    {
      what: "a public key in the place of the private one",
      text: `Load key "/cache/ssh/identity": error in libcrypto\r\n${denied}${ofGit}`,
      message: "ssh cannot read the deploy key: error in libcrypto",
      remedy: /ends with \.pub is the public key/u,
      reason: "key",
    },
    {
      what: "a key that the server does not have",
      text: `${denied}${ofGit}`,
      message: "the server refuses the deploy key: git@git.example.org: Permission denied (publickey).",
      remedy: /ssh-keygen -y -f FILE/u,
      reason: "key",
    },
  ])("names $what, without the files that ssh was given", ({ text, message, remedy, reason }) => {
    const error = sshRefusal(url, text);
    expect(error).toMatchObject({ code: "E_GIT_AUTH", message: `read ${url}: ${message}`, data: { reason } });
    expect(error?.remedy).toMatch(remedy);
  });

  it.each(["", `Connection timed out during banner exchange\n${ofGit}`, `ERROR: Repository not found.\n${ofGit}`])(
    "leaves what is about no key to others: %j",
    (text) => {
      expect(sshRefusal(url, text)).toBeUndefined();
    },
  );

  it.each([
    `Bearer ${"a".repeat(20)}\u001b[2J\u202e ${denied}`,
    `Load key "/x": Bearer ${"a".repeat(20)}\u001b[2J\u202e ${denied}`,
  ])("A55 shows what a server printed without tokens and control characters", (text) => {
    expect(sshRefusal(url, text)?.message).toMatch(/: Bearer \*\*\*\s\[2J git@git\.example\.org: Permission denied/u);
  });
});

describe("isUnreachable", () => {
  it.each([
    ["ssh: connect to host git.example.org port 22: No route to host", true],
    ["ssh: Could not resolve hostname git.example.org: Name or service not known", true],
    ["Connection timed out during banner exchange", true],
    ["kex_exchange_identification: Connection closed by remote host", true],
    ["Connection reset by 192.0.2.1 port 22", true],
    ["fetch-pack: unexpected disconnect while reading sideband packet", true],
    ["fatal: early EOF", true],
    ["fatal: the remote end hung up unexpectedly", true],
    ["remote: fatal: early EOF", false],
    ["ERROR: ssh: this repository was moved", false],
    ["", false],
  ])("of %j", (text, expected) => {
    expect(isUnreachable(`${text}\r\n${ofGit}`)).toBe(expected);
  });
});

describe("withoutAdvice", () => {
  it.each([
    [`ssh: connect to host git.example.org port 22: Connection refused\r\n${ofGit}`, /refused\r\n$/u],
    [
      `fatal: '/srv/fleet.git' does not appear to be a git repository\n${ofGit}`,
      /^fatal: '.*' does not appear to be a git repository\n$/u,
    ],
    [`${ofGit}remote: moved\n`, /^remote: moved\n$/u],
    [ofGit, /^$/u],
    ["fatal: Could not read from remote repository: moved", /: moved$/u],
  ])("of %j keeps the reason", (text, expected) => {
    expect(withoutAdvice(text)).toMatch(expected);
  });
});
