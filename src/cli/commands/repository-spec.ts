import { AppError } from "../../core/errors.ts";
import type { RepositorySpec } from "../../model/generated/repository.ts";
import type { Settings } from "../../settings/settings.ts";

function forgeSpec(settings: Settings): Pick<RepositorySpec, "forge"> {
  const provider = settings.text("forge");
  if (provider !== "GitHub" && provider !== "GitLab" && provider !== "Gitea" && provider !== "Forgejo") return {};
  const apiURL = settings.text("forge-api-url");
  const secret = settings.text("forge-secret");
  if (secret === undefined && settings.text("git-token-file") === undefined)
    throw new AppError("E_USAGE", "--forge needs a token: give --forge-secret, or --git-token-file");
  return {
    forge: {
      provider,
      ...(apiURL === undefined ? {} : { apiURL }),
      ...(secret === undefined ? {} : { secretRef: { name: secret } }),
    },
  };
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
