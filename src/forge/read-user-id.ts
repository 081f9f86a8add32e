import { AppError } from "../core/errors.ts";
import type { ForgeHttp } from "./forge-http.ts";
import { idAt } from "./pull-request-json.ts";

const action = "ask who we are";

/** The id of the user whose token is used. @throws E_FORGE_PROTOCOL when the answer has none */
export async function readUserId(http: ForgeHttp, signal?: AbortSignal): Promise<string> {
  const { json } = await http.send({ action, method: "GET", path: "/user", signal });
  return found(idAt(json, "id"));
}

/**
 * The id of the bot user of an app, or of the workflows of a repository, whose token is used: it is no user for `GET /user`, and
 * `GET /app` wants another token. Source: GitHub, GraphQL API, query `viewer`, which needs no permission.
 * @param graphqlPath behind the address of the REST API
 * @throws E_FORGE_PROTOCOL when the answer has none
 */
export async function readBotId(http: ForgeHttp, graphqlPath: string, signal?: AbortSignal): Promise<string> {
  const body = { query: "query { viewer { databaseId } }" };
  const { json } = await http.send({ action, method: "POST", path: graphqlPath, body, signal });
  return found(idAt(json, "data", "viewer", "databaseId"));
}

function found(id: string | undefined): string {
  if (id === undefined) throw new AppError("E_FORGE_PROTOCOL", `${action}: the answer names no user`);
  return id;
}
