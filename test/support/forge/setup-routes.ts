import { forgeRepository, text } from "./forge-state.ts";
import type { FakeDeployKey, ForgeState, Route, RouteAnswer } from "./forge-state.ts";

const docs = "https://docs.github.com/rest";

/** Where ssh would find the repository. */
export const forgeSshUrl = `git@ssh.example.com:${forgeRepository}.git`;
/** What GitHub's API publishes of its ssh server. */
export const forgeServerKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBlx1cvz0DSN2Sz0VpUBzmOTgOZCg9J5J3uXUbtAyyyy";

function addKey(state: ForgeState, key: Omit<FakeDeployKey, "id">): FakeDeployKey {
  const made = { ...key, id: state.nextId++ };
  state.deployKeys.push(made);
  return made;
}

/** Source: GitHub, REST API 2022-11-28, "Repositories", "Deploy keys", "Meta"; Gitea 1.26, API (swagger). */
export function gitHubStyleSetup(refusals: {
  readonly notFound: unknown;
  readonly nameTaken: RouteAnswer;
  readonly keyTaken: RouteAnswer;
}): readonly Route[] {
  const repository = (state: ForgeState) => ({
    id: 1,
    full_name: forgeRepository,
    private: true,
    ssh_url: forgeSshUrl,
    ...state.repositorySettings,
  });
  const keyJson = ({ id, title, key, isWriter }: FakeDeployKey) => ({ id, title, key, read_only: !isWriter });
  const create: Route["answer"] = ({ state, body }) => {
    if (state.isThere || body["name"] !== "fleet") return refusals.nameTaken;
    state.isThere = true;
    return { status: 201, json: repository(state) };
  };
  return [
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet$/u,
      answer: ({ state }) =>
        state.isThere && !state.isHidden
          ? { status: 200, json: repository(state) }
          : { status: 404, json: refusals.notFound },
    },
    { method: "POST", path: /^\/orgs\/acme\/repos$/u, answer: create },
    {
      method: "GET",
      path: /^\/repos\/acme\/fleet\/keys$/u,
      answer: ({ state }) => ({ status: 200, json: state.deployKeys.map(keyJson) }),
    },
    {
      method: "POST",
      path: /^\/repos\/acme\/fleet\/keys$/u,
      answer: ({ state, body }) => {
        const [key, title] = [text(body["key"]), text(body["title"])];
        if (state.deployKeys.some((other) => other.key === key || other.title === title)) return refusals.keyTaken;
        return { status: 201, json: keyJson(addKey(state, { title, key, isWriter: body["read_only"] === false })) };
      },
    },
    { method: "GET", path: /^\/meta$/u, answer: () => ({ status: 200, json: { ssh_keys: [forgeServerKey] } }) },
  ];
}

export const gitHubRefusals = {
  notFound: { message: "Not Found", documentation_url: docs, status: "404" },
  nameTaken: {
    status: 422,
    json: {
      message: "Repository creation failed.",
      errors: [
        { resource: "Repository", code: "custom", field: "name", message: "name already exists on this account" },
      ],
    },
  },
  keyTaken: {
    status: 422,
    json: {
      message: "Validation Failed",
      errors: [{ resource: "PublicKey", code: "custom", field: "key", message: "key is already in use" }],
    },
  },
};

/** Source: GitLab, REST API, "Projects API", "Namespaces API", "Deploy keys API". */
export function gitLabSetup(notFound: unknown): readonly Route[] {
  const root = `\\/projects\\/${encodeURIComponent(forgeRepository)}`;
  const project = (state: ForgeState) => ({
    id: 1,
    path_with_namespace: forgeRepository,
    visibility: "private",
    ssh_url_to_repo: forgeSshUrl,
    ...state.repositorySettings,
  });
  // GitLab answers with the key and a comment.
  const keyJson = ({ id, title, key, isWriter }: FakeDeployKey) => ({ id, title, key: `${key} x`, can_push: isWriter });
  return [
    {
      method: "GET",
      path: new RegExp(`^${root}$`, "u"),
      answer: ({ state }) =>
        state.isThere && !state.isHidden ? { status: 200, json: project(state) } : { status: 404, json: notFound },
    },
    {
      method: "GET",
      path: /^\/namespaces\/acme$/u,
      answer: () => ({ status: 200, json: { id: 12, kind: "group", full_path: "acme" } }),
    },
    {
      method: "POST",
      path: /^\/projects$/u,
      answer: ({ state, body }) => {
        if (state.isThere || body["path"] !== "fleet" || body["namespace_id"] !== 12) {
          return { status: 400, json: { message: { path: ["has already been taken"] } } };
        }
        state.isThere = true;
        return { status: 201, json: project(state) };
      },
    },
    {
      method: "GET",
      path: new RegExp(`^${root}\\/deploy_keys$`, "u"),
      answer: ({ state }) => ({ status: 200, json: state.deployKeys.map(keyJson) }),
    },
    {
      method: "POST",
      path: new RegExp(`^${root}\\/deploy_keys$`, "u"),
      answer: ({ state, body }) => {
        const [key, title] = [text(body["key"]), text(body["title"])];
        if (state.deployKeys.some((other) => other.key === key)) {
          return { status: 400, json: { message: { "deploy_key.fingerprint_sha256": ["has already been taken"] } } };
        }
        return { status: 201, json: keyJson(addKey(state, { title, key, isWriter: body["can_push"] === true })) };
      },
    },
  ];
}
