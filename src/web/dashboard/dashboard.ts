// dashboard: the page and the answers it is made from. It receives closures that return what the daemon sees (FleetReader), who
// may see it (Access), and what a viewer does (PageActions; absent: nothing). The types of every answer are generated from
// schemas/page-api.openapi.yaml and have no field for a secret. `browser/` is the page itself, built to dist/page.
import type { WebRoute } from "../web.ts";
import { actionRoutes } from "./action-routes.ts";
import { apiRoutes } from "./api-routes.ts";
import type { DashboardOptions } from "./dashboard-options.ts";
import { assetRoutes } from "./page-assets.ts";
import { EventHub } from "./event-hub.ts";
import { sessionRoutes } from "./session-routes.ts";

/** Every route of the page. */
export function dashboardRoutes(options: DashboardOptions): WebRoute[] {
  const { access, actions, reader } = options;
  const events = new EventHub(options);
  return [
    ...assetRoutes(options.assets, access),
    ...sessionRoutes({ access, hasActions: actions !== undefined }),
    ...apiRoutes({ ...options, events }),
    ...(actions ? actionRoutes({ access, actions, reader }) : []),
  ];
}
