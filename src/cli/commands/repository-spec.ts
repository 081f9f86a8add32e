import type { RepositorySpec } from "../../model/generated/repository.ts";
import type { Settings } from "../../settings/settings.ts";

function forgeSpec(settings: Settings): Pick<RepositorySpec, "forge"> {
  const provider = settings.text("forge");
  if (provider !== "GitHub" && provider !== "GitLab" && provider !== "Gitea" && provider !== "Forgejo") return {};
  const apiURL = settings.text("forge-api-url");
  const secret = settings.requiredText("forge-secret");
  return { forge: { provider, ...(apiURL === undefined ? {} : { apiURL }), secretRef: { name: secret } } };
}

/** The Repository's spec from flags. */
export function repositorySpec(settings: Settings): RepositorySpec {
  const workspaces = settings.list("workspaces");
  const defaultWorkspace = settings.text("default-workspace");
  const verifyKeys = settings.text("verify-keys-secret");
  const verifyPaths = settings.list("verify-paths");
  const ageKeySecret = settings.text("age-key-secret");
  return {
    url: settings.requiredText("repo"),
    ref: { branch: settings.requiredText("branch") },
    interval: settings.requiredText("interval"),
    ...(workspaces ? { workspaces: [...workspaces] } : {}),
    ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
    ...(verifyKeys === undefined
      ? {}
      : { verify: { keysSecretRef: { name: verifyKeys }, ...(verifyPaths ? { paths: [...verifyPaths] } : {}) } }),
    ...forgeSpec(settings),
    ...(ageKeySecret === undefined ? {} : { decryption: { ageKeySecretRef: { name: ageKeySecret } } }),
    writeBack: {
      mode: settings.text("write-back") === "None" ? "None" : "Branch",
      branch: settings.requiredText("write-back-branch"),
      interval: settings.requiredText("write-back-interval"),
    },
  };
}
