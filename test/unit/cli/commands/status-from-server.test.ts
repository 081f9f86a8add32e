import "reflect-metadata";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import type { Server } from "node:https";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { statusFromServer } from "../../../../src/cli/commands/status-from-server.ts";
import { readSettings } from "../../../../src/settings/read-settings.ts";
import { makeCertificateAuthority } from "../../../support/control-plane-keys.ts";

describe("status --server", () => {
  const seen: (string | undefined)[] = [];
  /** How the page answers in place of what is asked. */
  const broken: { way?: "cut" | "endless"; answer?: unknown } = {};
  const row = { object: "Cluster/fleet/by-hand", reason: "NotInGit", message: "No file declares it." };
  const hubObjects = { count: 21, items: [row] };
  let server: Server;
  let folder: string;
  let caFile: string;
  let url: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-status-"));
    const ca = await makeCertificateAuthority("page-ca");
    const tls = await ca.issue("CN=page", [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: "ip", value: "127.0.0.1" },
        { type: "dns", value: "fleet.example.com" },
      ]),
    ]);
    server = createServer({ ...tls }, (request, response) => {
      seen.push(request.headers.authorization);
      if (broken.way === "cut") {
        response.write("{", () => response.destroy());
        return;
      }
      if (broken.way === "endless") {
        const piece = "x".repeat(1024 ** 2);
        const fill = (): void => {
          while (!response.destroyed && response.write(piece));
        };
        response.on("drain", fill);
        return fill();
      }
      if (broken.answer !== undefined) return response.end(JSON.stringify(broken.answer));
      response.end(JSON.stringify(request.url === "/api/v1/fleet" ? { hubObjects } : { items: [] }));
    });
    caFile = join(folder, "ca.crt");
    await writeFile(caFile, ca.cert);
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (
    given: Readonly<Record<string, string>>,
    stdout: NodeJS.WriteStream = process.stdout,
    address = url,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<number> =>
    statusFromServer(
      {
        settings: readSettings("status", { given: { output: "json", ...given }, environment: {} }),
        args: [],
        stdout,
        stderr: process.stderr,
        environment,
        readStdin: async () => "",
        readLine: async () => "",
        commands: [],
        signal: new AbortController().signal,
      },
      address,
    );

  it("sends the token of --server-token-file, and none without it", async () => {
    const file = join(folder, "token");
    await writeFile(file, "page-token\n");
    seen.length = 0;
    await ask({ "server-ca-file": caFile });
    expect(new Set(seen.splice(0))).toEqual(new Set([undefined]));
    await ask({ "server-ca-file": caFile, "server-token-file": file });
    expect(new Set(seen)).toEqual(new Set(["Bearer page-token"]));
  });

  it("shows what is on the hub and not in git, as without --server", async () => {
    const written: string[] = [];
    const stdout = { write: (text: string) => written.push(text) > 0 } as unknown as NodeJS.WriteStream;
    await ask({ "server-ca-file": caFile, output: "text" }, stdout);
    expect(written.join("")).toBe(
      "No clusters.\n\nOn the hub, not in git:\n  Cluster/fleet/by-hand: No file declares it.\n  and 20 more\n",
    );
  });

  it.each([
    { way: "cut" as const, message: /no whole answer/u },
    { way: "endless" as const, message: /more than 67108864 bytes/u },
  ])("reports why an answer was not read: $way", async ({ way, message }) => {
    broken.way = way;
    try {
      await expect(ask({ "server-ca-file": caFile })).rejects.toMatchObject({
        code: "E_PAGE_SERVER",
        message: expect.stringMatching(message) as string,
      });
    } finally {
      delete broken.way;
    }
  });

  it("A29 sends no token by http to another machine, and asks it nothing", async () => {
    const file = join(folder, "token");
    await writeFile(file, "page-token\n");
    const asking = ask({ "server-token-file": file }, process.stdout, "http://fleet.example.com");
    await expect(asking).rejects.toMatchObject({
      code: "E_USAGE",
      message: "--server is no address of https, and the token of --server-token-file could be read on its way",
    });
    const here = ask({ "server-token-file": file }, process.stdout, url.replace("https", "http"));
    await expect(here, "a kubectl port-forward").rejects.toMatchObject({ code: "E_PAGE_SERVER" });
  });

  it.each([[[]], [{}], [{ items: [null] }], [{ items: "x" }]])("takes %j for no page of a daemon", async (answer) => {
    broken.answer = answer;
    try {
      await expect(ask({ "server-ca-file": caFile })).rejects.toMatchObject({
        code: "E_PAGE_SERVER",
        message: expect.stringContaining("this is not the page of a daemon") as string,
      });
    } finally {
      delete broken.answer;
    }
  });

  it("asks a page at https through the proxy of HTTPS_PROXY, as it asks a hub", async () => {
    const tunnels: (string | undefined)[] = [];
    const proxy = createHttpServer().on("connect", (request, client) => {
      tunnels.push(request.url);
      const page = connect(Number(new URL(url).port), "127.0.0.1");
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.on("error", () => page.destroy()).pipe(page);
      page.on("error", () => client.destroy()).pipe(client);
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    try {
      const asking = (address: string) => ask({ "server-ca-file": caFile }, process.stdout, address, environment);
      expect(await asking("https://fleet.example.com")).toBe(0);
      expect(new Set(tunnels.splice(0))).toEqual(new Set(["fleet.example.com:443"]));
      await asking(url);
      expect(tunnels, "this machine is asked directly").toEqual([]);
    } finally {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });

  it("refuses a password in the address, and does not repeat it", async () => {
    const address = url.replace("//", "//ada:hidden@");
    await expect(ask({ "server-ca-file": caFile }, process.stdout, address)).rejects.toMatchObject({
      code: "E_USAGE",
      message: expect.not.stringContaining("hidden") as string,
    });
  });

  it("checks the page by --server-ca-file, and trusts no other authority", async () => {
    await expect(ask({})).rejects.toMatchObject({ code: "E_PAGE_SERVER" });
    const other = join(folder, "other.crt");
    await writeFile(other, (await makeCertificateAuthority("other-ca")).cert);
    await expect(ask({ "server-ca-file": other })).rejects.toMatchObject({ code: "E_PAGE_SERVER" });
    await expect(ask({ "server-ca-file": caFile })).resolves.toBe(0);
  });
});
