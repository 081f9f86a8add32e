import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/git-repositories.ts";

const script = resolve(import.meta.dirname, "../../scripts/release/upload.mjs");
const run = promisify(execFile);

interface Request {
  readonly line: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

describe("scripts/release/upload.mjs", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let requests: Request[];
  let status: number;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify({ id: 7 }));
    });
  });
  let origin: string;

  beforeEach(async () => {
    folder = await makeTempFolder();
    requests = [];
    status = 201;
    await mkdir(join(folder.path, "release"));
    for (const name of ["CHANGELOG.md", "rollcall.mjs"])
      await writeFile(join(folder.path, "release", name), `of ${name}`);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await new Promise((done) => server.close(done));
    await folder.remove();
  });

  const upload = (env: Record<string, string>) =>
    run(process.execPath, [script, "release"], { cwd: folder.path, env }).then(
      () => "",
      (error: unknown) => (error as { stderr: string }).stderr,
    );
  const forgejo = () => ({
    GITHUB_API_URL: `${origin}/api/v1`,
    GITHUB_REPOSITORY: "platform/rollcall",
    GITHUB_REF_NAME: "v0.1.0",
    FORGE_TOKEN: "of-the-job",
  });

  it("makes a draft on Forgejo, and adds each file to it", async () => {
    expect(await upload(forgejo())).toBe("");
    const place = "POST /api/v1/repos/platform/rollcall/releases";
    expect(requests.map(({ line }) => line)).toEqual([
      place,
      `${place}/7/assets?name=CHANGELOG.md`,
      `${place}/7/assets?name=rollcall.mjs`,
    ]);
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
      tag_name: "v0.1.0",
      name: "v0.1.0",
      body: "of CHANGELOG.md",
      draft: true,
    });
    expect(requests[2]?.body).toContain('name="attachment"; filename="rollcall.mjs"');
    expect(requests[2]?.body).toContain("of rollcall.mjs");
    expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set(["token of-the-job"]));
  });

  it("puts the files into GitLab's registry of packages, and links the release to them", async () => {
    const api = `${origin}/api/v4`;
    const gitlab = { CI_API_V4_URL: api, CI_PROJECT_ID: "5", CI_JOB_TOKEN: "of-the-job", CI_COMMIT_TAG: "v0.1.0" };
    expect(await upload({ GITLAB_CI: "true", ...gitlab })).toBe("");
    const place = "/api/v4/projects/5/packages/generic/rollcall/0.1.0";
    expect(requests.map(({ line }) => line)).toEqual([
      `PUT ${place}/CHANGELOG.md`,
      `PUT ${place}/rollcall.mjs`,
      "POST /api/v4/projects/5/releases",
    ]);
    expect(requests[1]?.body).toBe("of rollcall.mjs");
    expect(JSON.parse(requests[2]?.body ?? "")).toMatchObject({
      tag_name: "v0.1.0",
      assets: { links: [{ name: "CHANGELOG.md" }, { name: "rollcall.mjs", url: `${origin}${place}/rollcall.mjs` }] },
    });
    expect(new Set(requests.map(({ headers }) => headers["job-token"]))).toEqual(new Set(["of-the-job"]));
  });

  it("fails when the forge refuses", async () => {
    status = 403;
    expect(await upload(forgejo())).toContain("POST");
    expect(requests).toHaveLength(1);
  });
});
