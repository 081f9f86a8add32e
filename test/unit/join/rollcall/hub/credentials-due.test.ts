import { describe, expect, it } from "vitest";
import { tokenCredentialsDue } from "../../../../../src/join/rollcall/hub/credentials-due.ts";
import { toBase64 } from "../../../../../src/join/rollcall/messages.ts";
import { rollcallAnnotations, tokenAccountName } from "../../../../../src/model/dialects/rollcall.ts";
import type { KubeObject } from "../../../../../src/model/kubernetes.ts";
import { hubFacts, proofKey, startMs, tokenSubject, workspace } from "../../hub-scene.ts";

const endMs = startMs + 3_600_000;
const base64 = (text: string): string => toBase64(Buffer.from(text));

interface Held {
  readonly expires?: string;
  readonly credential?: string | undefined;
  readonly trustKey?: string;
  readonly data?: Readonly<Record<string, string | undefined>>;
}

/** The Secret with the values of a token, as it was issued. */
function valuesSecret({ expires, credential = "held", trustKey, data = {} }: Held): KubeObject {
  const values = base64(JSON.stringify({ hub: { trustKey }, token: credential === "" ? {} : { credential } }));
  const annotations: Record<string, string> =
    expires === undefined ? {} : { [rollcallAnnotations.credentialExpires]: expires };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: workspace, name: "edge", annotations },
    data: { proofKey: toBase64(proofKey), values, ...data },
  };
}

function filledSecret(token: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: workspace, name: tokenAccountName("edge") },
    data: { token: base64(token) },
  };
}

function dueOf(ttl: string | undefined, children: readonly KubeObject[], annotations: Record<string, string> = {}) {
  const subject = tokenSubject("edge", ttl === undefined ? {} : { ttl });
  const { token } = subject;
  const metadata = { ...token.metadata, annotations };
  return tokenCredentialsDue({ ...subject, token: { ...token, metadata }, children }, hubFacts());
}

const bound = (uid: string): string =>
  `e30.${Buffer.from(JSON.stringify({ "kubernetes.io": { serviceaccount: { name: "gone", uid } } })).toString("base64url")}.x`;
const ends = (ms: number): Held => ({ expires: new Date(ms).toISOString() });

describe("tokenCredentialsDue", () => {
  const rows: readonly (readonly [string, string | undefined, readonly KubeObject[], string | undefined])[] = [
    ["has no values", "1h", [], "the values are missing"],
    [
      "has no proof key",
      "1h",
      [valuesSecret({ ...ends(endMs), data: { proofKey: undefined } })],
      "the values are missing",
    ],
    [
      "has a proof key alone",
      "1h",
      [valuesSecret({ ...ends(endMs), data: { values: undefined } })],
      "the values are missing",
    ],
    ["is whole", "1h", [valuesSecret(ends(endMs))], undefined],
    ["ends less than a second before the token", "1h", [valuesSecret(ends(endMs - 1000))], undefined],
    ["ends before the token", "1h", [valuesSecret(ends(endMs - 1001))], "the credential ends before the token"],
    ["ends at no known time", "1h", [valuesSecret({})], "the credential ends before the token"],
    [
      "lost its credential",
      "1h",
      [valuesSecret({ ...ends(endMs), credential: "" })],
      "its account or Secret was made anew",
    ],
    [
      "lost its account",
      "1h",
      [valuesSecret({ ...ends(endMs), credential: bound("1") })],
      "its account or Secret was made anew",
    ],
    [
      "names another trust key",
      "1h",
      [valuesSecret({ ...ends(endMs), trustKey: "k" })],
      "the hub's trust key was replaced",
    ],
    ["never ends, and is whole", undefined, [valuesSecret({ expires: "never" }), filledSecret("held")], undefined],
    ["never ends, and is not filled in yet", undefined, [valuesSecret({ expires: "never" })], undefined],
    [
      "never ends, and was filled in anew",
      undefined,
      [valuesSecret({ expires: "never" }), filledSecret("another")],
      "its account or Secret was made anew",
    ],
    [
      "never ends any more",
      undefined,
      [valuesSecret(ends(endMs)), filledSecret("held")],
      "the credential must outlive its first form",
    ],
  ];
  it.each(rows)("names the reason why a token is issued a credential that %s", (_, ttl, children, reason) => {
    expect(dueOf(ttl, children).map((due) => due.reason)).toEqual(reason === undefined ? [] : [reason]);
  });

  it("issues none to a token that was revoked or has ended", () => {
    expect(dueOf("1h", [], { "rollcall.dev/revoked": "blob/who/when" })).toEqual([]);
    expect(dueOf("1ms", [])).toHaveLength(1);
    expect(dueOf("a mistyped duration", [])).toEqual([]);
  });

  it("asks for as long as the token lives, for ten minutes at least, and for a Secret where it lives for ever", () => {
    expect(dueOf("1h", [])).toMatchObject([{ how: { kind: "token-request", expirationSeconds: 3600 } }]);
    expect(dueOf("1m", [])).toMatchObject([{ how: { kind: "token-request", expirationSeconds: 600 } }]);
    expect(dueOf(undefined, [])).toMatchObject([{ how: { kind: "token-secret", secret: tokenAccountName("edge") } }]);
  });
});
