import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { longestWaitMs } from "./until.ts";

/** A place in a text: lines and columns from 0. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Place };
}

/** An editor's side of yaml-language-server. */
export interface LanguageServer {
  /** Opens a file of the folder with a text, and resolves with what the server finds in it. */
  readonly open: (path: string, text: string) => Promise<readonly Diagnostic[]>;
  /** What completion offers at a place of an open file. */
  readonly complete: (path: string, place: Place) => Promise<readonly string[]>;
  /** What is shown over a place of an open file. */
  readonly hover: (path: string, place: Place) => Promise<string>;
  /** Hosts that it tried to reach. It has no network: each attempt fails. */
  readonly askedHosts: () => readonly string[];
  readonly stop: () => Promise<void>;
}

/** Loaded before the server: every connection and every name fails, as on a machine without a network, and is reported. */
const withoutNetwork = `
import net from "node:net";
import dns from "node:dns";
const refuse = (host) => {
  process.stderr.write("asked for " + host + "\\n");
  return Object.assign(new Error("no network"), { code: "ENETUNREACH" });
};
dns.lookup = (host, ...rest) => process.nextTick(rest.at(-1), refuse(host));
net.Socket.prototype.connect = function (...args) {
  const [first] = args.flat();
  return this.destroy(refuse(first?.host ?? first?.path ?? String(first)));
};
`;

/** Starts yaml-language-server for a folder, with the settings of its `.vscode/settings.json`. */
export async function startLanguageServer(
  folder: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<LanguageServer> {
  const server = createRequire(import.meta.url).resolve("yaml-language-server/bin/yaml-language-server");
  const guard = `data:text/javascript,${encodeURIComponent(withoutNetwork)}`;
  const child = spawn(process.execPath, ["--import", guard, server, "--stdio"], { stdio: "pipe" });
  let told = "";
  child.stderr.on("data", (part: Buffer) => (told += String(part)));
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const answers = new Map<number, (result: unknown) => void>();
  const findings = new Map<string, (found: readonly Diagnostic[]) => void>();
  const send = (message: object): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n${String(body)}`);
  };
  const receive = ({ id, method, params, result }: Message): void => {
    if (method === "textDocument/publishDiagnostics") findings.get(params?.uri ?? "")?.(params?.diagnostics ?? []);
    else if (method === "workspace/configuration")
      send({ id, result: (params?.items ?? []).map(({ section }) => sectionOf(settings, section)) });
    else if (method !== undefined && id !== undefined) send({ id, result: null });
    else if (id !== undefined) answers.get(id)?.(result);
  };
  readMessages(child.stdout, receive);
  let lastId = 0;
  const call = async (method: string, params: object): Promise<unknown> => {
    const id = ++lastId;
    const answer = new Promise<unknown>((done) => answers.set(id, done));
    send({ id, method, params });
    return withinLimit(answer, () => `${method} is not answered: ${told}`);
  };
  const uriOf = (path: string): string => pathToFileURL(resolve(folder, path)).href;
  const at = (path: string, position: Place): object => ({ textDocument: { uri: uriOf(path) }, position });

  const rootUri = pathToFileURL(folder).href;
  await call("initialize", {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: "fleet" }],
    capabilities: {
      workspace: { configuration: true, workspaceFolders: true },
      textDocument: { hover: { contentFormat: ["plaintext"] } },
    },
  });
  send({ method: "initialized", params: {} });

  return {
    open: async (path, text) => {
      const found = new Promise<readonly Diagnostic[]>((done) => findings.set(uriOf(path), done));
      send({
        method: "textDocument/didOpen",
        params: { textDocument: { uri: uriOf(path), languageId: "yaml", version: 1, text } },
      });
      return withinLimit(found, () => `nothing is found in ${path}: ${told}`);
    },
    complete: async (path, place) => {
      const result = (await call("textDocument/completion", at(path, place))) as { items: { label: string }[] } | null;
      return (result?.items ?? []).map(({ label }) => label);
    },
    hover: async (path, place) => {
      const result = (await call("textDocument/hover", at(path, place))) as { contents: { value: string } } | null;
      return result?.contents.value ?? "";
    },
    askedHosts: () => [...told.matchAll(/^asked for (.+)$/gmu)].map(([, host = ""]) => host),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly params?: {
    readonly uri?: string;
    readonly diagnostics?: readonly Diagnostic[];
    readonly items?: readonly { readonly section?: string }[];
  };
}

/** The settings below `section.`, without it, as an editor gives them. */
function sectionOf(settings: Readonly<Record<string, unknown>>, section = ""): object {
  const below = Object.entries(settings).filter(([name]) => name.startsWith(`${section}.`));
  return Object.fromEntries(below.map(([name, value]) => [name.slice(section.length + 1), value]));
}

/** Calls back with each message of a stream in which every one has its length before it. */
function readMessages(stream: NodeJS.ReadableStream, receive: (message: Message) => void): void {
  let held = Buffer.alloc(0);
  stream.on("data", (part: Buffer) => {
    held = Buffer.concat([held, part]);
    for (;;) {
      const begin = held.indexOf("\r\n\r\n") + 4;
      const [, length = ""] = /Content-Length: (\d+)/u.exec(String(held.subarray(0, begin))) ?? [];
      const end = begin + Number(length);
      if (begin < 4 || held.length < end) return;
      receive(JSON.parse(String(held.subarray(begin, end))) as Message);
      held = held.subarray(end);
    }
  });
}

async function withinLimit<T>(wanted: Promise<T>, describe: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_done, fail) => {
    timer = setTimeout(() => fail(new Error(describe())), longestWaitMs);
  });
  return Promise.race([wanted, tooLate]).finally(() => clearTimeout(timer));
}
