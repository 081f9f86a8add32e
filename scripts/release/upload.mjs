// node scripts/release/upload.mjs FOLDER
// In a job of Forgejo, Gitea or GitLab: a tag becomes a release with the files of FOLDER.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const { env } = process;
const notes = readFileSync(join(folder, "CHANGELOG.md"), "utf8");
const files = readdirSync(folder).sort();

if (env.GITLAB_CI === "true") await releaseOnGitLab();
else await draftOnForgejo();
console.log(`${files.length} files`);

/** The files go to the project's package registry, which the release links to. GitLab has no drafts. */
async function releaseOnGitLab() {
  const project = `${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}`;
  const headers = { "JOB-TOKEN": env.CI_JOB_TOKEN };
  const place = `${project}/packages/generic/rollcall/${env.CI_COMMIT_TAG.replace(/^v/u, "")}`;
  for (const name of files) {
    await request(`${place}/${name}`, { method: "PUT", headers, body: readFileSync(join(folder, name)) });
  }
  await request(`${project}/releases`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({
      tag_name: env.CI_COMMIT_TAG,
      name: env.CI_COMMIT_TAG,
      description: notes,
      assets: { links: files.map((name) => ({ name, url: `${place}/${name}` })) },
    }),
  });
}

async function draftOnForgejo() {
  const releases = `${env.GITHUB_API_URL}/repos/${env.GITHUB_REPOSITORY}/releases`;
  const headers = { Authorization: `token ${env.FORGE_TOKEN}` };
  const tag = env.GITHUB_REF_NAME;
  const made = await request(releases, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ tag_name: tag, name: tag, body: notes, draft: true }),
  });
  const { id } = await made.json();
  for (const name of files) {
    const body = new FormData();
    body.append("attachment", new Blob([readFileSync(join(folder, name))]), name);
    await request(`${releases}/${id}/assets?name=${encodeURIComponent(name)}`, { method: "POST", headers, body });
  }
}

async function request(url, options) {
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${options.method} ${url}: ${response.status} ${await response.text()}`);
  return response;
}
