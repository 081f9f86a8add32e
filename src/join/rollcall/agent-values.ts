import { numberAt, textAt, textMapAt } from "../../core/read-json.ts";

/**
 * What an agent is installed with: the content of a token's Secret (key `values`), of the chart's values, and of the
 * Secret that the agent reads downstream. JSON, so that it is a YAML file too.
 */
export interface AgentValues {
  readonly hub: {
    readonly url: string;
    readonly caBundle: string;
    /** Digest of the hub's first trust key. */
    readonly id: string;
    /** Digest of its present trust key; absent while that is the first one. */
    readonly trustKey?: string;
    /** Of the present trust key; absent: 1. The greater one is the newer one. */
    readonly trustKeyNumber?: number;
  };
  readonly workspace: string;
  readonly token: {
    /** Of a ClusterRegistrationToken, or `<cluster>.bootstrap`. */
    readonly name: string;
    /** A bearer token that may create and get ClusterRegistrations of the workspace. */
    readonly credential: string;
    /** 32 bytes, base64. */
    readonly proofKey: string;
  };
  /** What the agent asks to be. */
  readonly cluster?: {
    readonly name?: string;
    readonly clientID?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

/** The values in a JSON value, or a text about the first field that is missing or wrong; no value is repeated. */
export function readAgentValues(value: unknown): AgentValues | { readonly lack: string } {
  const required = (...path: string[]) => textAt(value, ...path) ?? "";
  const trustKey = textAt(value, "hub", "trustKey");
  const trustKeyNumber = numberAt(value, "hub", "trustKeyNumber");
  const hub = {
    url: required("hub", "url"),
    caBundle: required("hub", "caBundle"),
    id: required("hub", "id"),
    ...(trustKey === undefined ? {} : { trustKey }),
    ...(trustKeyNumber === undefined ? {} : { trustKeyNumber }),
  };
  const workspace = required("workspace");
  const token = {
    name: required("token", "name"),
    credential: required("token", "credential"),
    proofKey: required("token", "proofKey"),
  };
  if (hub.url.startsWith("http://"))
    return { lack: "hub.url is plain http: name the hub's https address, credentials are not sent in the clear" };
  if (!hub.url.startsWith("https://")) return lackOf("hub.url");
  if (!isDigest(hub.id)) return lackOf("hub.id");
  if (trustKey !== undefined && !isDigest(trustKey)) return lackOf("hub.trustKey");
  if (trustKeyNumber !== undefined && !(Number.isSafeInteger(trustKeyNumber) && trustKeyNumber > 0))
    return lackOf("hub.trustKeyNumber");
  if (workspace === "") return lackOf("workspace");
  if (token.name === "") return lackOf("token.name");
  if (token.credential === "") return lackOf("token.credential");
  if (Buffer.from(token.proofKey, "base64").length < 32) return lackOf("token.proofKey");
  const name = textAt(value, "cluster", "name");
  const clientID = textAt(value, "cluster", "clientID");
  const labels = textMapAt(value, "cluster", "labels");
  return {
    hub,
    workspace,
    token,
    cluster: {
      ...(name ? { name } : {}),
      ...(clientID ? { clientID } : {}),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    },
  };
}

function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/u.test(text);
}

function lackOf(path: string): { readonly lack: string } {
  return { lack: `${path} is missing or malformed` };
}
