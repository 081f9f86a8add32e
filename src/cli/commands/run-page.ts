import type { Log } from "../../core/log.ts";
import { pageAccess, readPageActions } from "../../daemon/page/page-access.ts";
import { createPageActions } from "../../daemon/page/page-actions.ts";
import type { Page } from "../../daemon/page/wire-page.ts";
import type { Daemon } from "../../daemon/wire-run.ts";
import { parseAddress } from "../../daemon/wire-web.ts";
import type { KubeConnection } from "../../kube/connection.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Settings } from "../../settings/settings.ts";

/** Serves the page as the settings declare; undefined where no address is set. @throws E_USAGE */
export async function servePage(
  page: Page,
  daemon: Daemon,
  {
    settings,
    hubApi,
    connection,
    namespace,
    log,
  }: {
    readonly settings: Settings;
    readonly hubApi: KubeApi;
    readonly connection: KubeConnection;
    readonly namespace: string;
    readonly log: Log;
  },
): Promise<Awaited<ReturnType<Page["serve"]>> | undefined> {
  const address = settings.text("page-address");
  if (address === undefined) return undefined;
  const { host, port } = parseAddress(address, "page-address");
  const workspaces = (): readonly string[] => daemon.view.workspaces;
  const access = pageAccess(settings, { host, hubApi, daemonNamespace: namespace, workspaces });
  const name = settings.requiredText("repository");
  const actions = readPageActions(settings)
    ? createPageActions({ connection, repository: { namespace, name }, log })
    : undefined;
  return page.serve(daemon, { host, port, access, ...(actions ? { actions } : {}) });
}
