import type { ASTNode } from "@marcbachmann/cel-js";

type Junction = Extract<ASTNode, { readonly op: "&&" | "||" }>;

/** True when parts are nested deeper than `maximum`. A chain of one junction (`a || b || c`) is one level. */
export function isDeeperThan(maximum: number, root: ASTNode): boolean {
  const pending: { readonly node: ASTNode; readonly depth: number }[] = [{ node: root, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (depth > maximum) return true;
    const children = isJunction(node) ? operandsOf(node).map(({ operand }) => operand) : childrenOf(node);
    for (const child of children) pending.push({ node: child, depth: depth + 1 });
  }
  return false;
}

/** The operands of a chain in their order, each with the junction in front of it; the first has that of the second. */
export function operandsOf(chain: Junction): { readonly operand: ASTNode; readonly junction: Junction }[] {
  const operands: { readonly operand: ASTNode; readonly junction: Junction }[] = [];
  let junction = chain;
  for (;;) {
    const [left, right] = junction.args;
    operands.push({ operand: right, junction });
    if (!isJunction(left) || left.op !== chain.op) {
      operands.push({ operand: left, junction });
      return operands.reverse();
    }
    junction = left;
  }
}

function isJunction(node: ASTNode): node is Junction {
  return node.op === "&&" || node.op === "||";
}

function childrenOf(node: ASTNode): ASTNode[] {
  const parts: unknown[] = [node.args].flat(3);
  return parts.filter((part): part is ASTNode => typeof part === "object" && part !== null && "op" in part);
}
