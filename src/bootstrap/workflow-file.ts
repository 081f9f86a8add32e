import type { ForgeProvider } from "../forge/forge.ts";

export interface WorkflowFile {
  readonly path: string;
  readonly text: string;
}

/** What plans each pull request in the CI of a forge. `image`: the one that the daemon runs. */
export function workflowFile(provider: ForgeProvider, image: string): WorkflowFile {
  switch (provider) {
    case "GitHub":
      return { path: ".github/workflows/fleet.yml", text: actions(image, gitHubPermissions, "${{ github.token }}") };
    case "GitLab":
      return { path: ".gitlab-ci.yml", text: gitLab(image) };
    case "Gitea":
    case "Forgejo": {
      const token = "${{ secrets.ROLLCALL_FORGE_TOKEN }}";
      return { path: ".gitea/workflows/fleet.yml", text: actions(image, "", token, giteaToken) };
    }
  }
}

const gitHubPermissions = `permissions:
  contents: read
  statuses: write
  pull-requests: write
`;
const giteaToken = "          # A token with write:repository, write:issue and read:user.\n";

function actions(image: string, permissions: string, token: string, comment = ""): string {
  return `# What a pull request will do to the fleet: checked, planned and written to the pull request. No credentials of a cluster.
name: fleet
on: pull_request
${permissions}jobs:
  review:
    runs-on: ubuntu-latest
    container:
      image: ${image} # the image that the daemon runs
      options: --user root
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # a plan needs the history, and the branch rollcall/status
      - name: Validate
        run: rollcall validate . --strict --output github
      - name: Plan
        if: always()
        env:
${comment}          ROLLCALL_FORGE_TOKEN: ${token}
        run: rollcall plan --offline --comment
`;
}

function gitLab(image: string): string {
  return `# What a merge request will do to the fleet: checked, planned and written to the merge request. No credentials of a cluster.
review:
  image:
    name: ${image} # the image that the daemon runs
    entrypoint: [""]
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: "0" # a plan needs the history, and the branch rollcall/status
    # ROLLCALL_FORGE_TOKEN: a project access token with scope api, as a masked variable of the project.
  script:
    - git fetch --quiet origin "+refs/heads/*:refs/remotes/origin/*"
    - code=0
    - rollcall validate . --strict || code=$?
    - rollcall plan --offline --comment || code=$?
    - exit $code
`;
}
