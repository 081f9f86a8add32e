import type { HttpScope } from "./exchange.ts";

/**
 * The value of a body. Of many bodies that arrive together, those wait that one turn of the loop has no time for. Others
 * have their turn after it when it took long, so that a large body holds the loop for the longer of its reading and its
 * writing, not for both.
 */
export async function parseInTurn<T>({ turns }: Pick<HttpScope, "turns">, parse: () => T | Promise<T>): Promise<T> {
  await turns.enter();
  const takeTurn = turns.begin();
  const value = await parse();
  await takeTurn();
  return value;
}
