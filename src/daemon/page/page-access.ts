import { AppError } from "../../core/errors.ts";
import { isTrueAt, objectAt, textAt, textsAt } from "../../core/read-json.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { KubeObject } from "../../model/kubernetes.ts";
import type { Access, AccessOptions, KubeUser, SeenResource } from "../../web/dashboard/access.ts";
import { isLoopbackAddress, openAccess, proxyAccess, tokenAccess } from "../../web/dashboard/access.ts";
import { realClock } from "../../system/real-clock.ts";
import type { Settings } from "../../settings/settings.ts";

const fieldManager = "rollcall-page";

/** The mode of `--page-access`, which must fit the host that the page listens on. @throws E_USAGE */
export function readPageAccess(settings: Settings, host = "every address"): string {
  const mode = settings.requiredText("page-access");
  const isLocal = isLoopbackAddress(host) || host === "localhost";
  if (mode === "Token" || isLocal) return mode;
  throw new AppError(
    "E_USAGE",
    `--page-access ${mode} is for an address of this machine, such as 127.0.0.1:8080, and --page-address is ${host}: ` +
      "use --page-access Token, or put the proxy beside this process",
  );
}

/**
 * Whether viewers act on the page. An action is done with the viewer's own token, which only Token has.
 * @throws E_USAGE
 */
export function readPageActions(settings: Settings): boolean {
  if (!settings.isOn("page-actions")) return false;
  const mode = settings.requiredText("page-access");
  if (mode === "Token") return true;
  throw new AppError(
    "E_USAGE",
    `--page-actions does each action with the viewer's own token of the hub, and --page-access ${mode} has none: ` +
      "use --page-access Token, or leave --page-actions out",
  );
}

/**
 * Who may read the page, by the settings. Without a guard the page listens on this machine only; so it does behind a proxy,
 * which must be the only client that can reach it.
 * @throws E_USAGE
 */
export function pageAccess(
  settings: Settings,
  options: {
    readonly host: string | undefined;
    readonly hubApi: KubeApi;
    readonly daemonNamespace: string;
    readonly workspaces: () => readonly string[];
  },
): Access {
  const { host, hubApi, daemonNamespace, workspaces } = options;
  const mode = readPageAccess(settings, host);
  const reviews: AccessOptions = {
    clock: realClock,
    daemonNamespace,
    workspaces,
    reviewToken: (token) => reviewToken(hubApi, token),
    isAllowed: (user, resource) => isAllowed(hubApi, user, resource),
  };
  switch (mode) {
    case "Token":
      return tokenAccess(reviews);
    case "Proxy":
      return proxyAccess(reviews, {
        user: settings.requiredText("page-user-header"),
        groups: settings.requiredText("page-groups-header"),
      });
    default:
      return openAccess(workspaces);
  }
}

async function reviewToken(hubApi: KubeApi, token: string): Promise<KubeUser | undefined> {
  const review: KubeObject = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    metadata: { name: "" },
    spec: { token },
  };
  const answer = await hubApi.create(review, { fieldManager });
  const username = textAt(answer, "status", "user", "username");
  if (!isTrueAt(answer, "status", "authenticated") || username === undefined) return undefined;
  const uid = textAt(answer, "status", "user", "uid");
  const extra = objectAt(answer, "status", "user", "extra");
  return {
    username,
    groups: textsAt(answer, "status", "user", "groups"),
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

/** Names all that the hub knows of the token: an authorizer may grant less to a token than to its user. */
async function isAllowed(hubApi: KubeApi, user: KubeUser, resource: SeenResource): Promise<boolean> {
  const { verb, resource: plural, namespace } = resource;
  const review: KubeObject = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: { name: "" },
    spec: {
      user: user.username,
      groups: user.groups,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.extra === undefined ? {} : { extra: user.extra }),
      resourceAttributes: {
        group: "rollcall.dev",
        resource: plural,
        verb,
        ...(namespace === undefined ? {} : { namespace }),
      },
    },
  };
  return isTrueAt(await hubApi.create(review, { fieldManager }), "status", "allowed");
}
