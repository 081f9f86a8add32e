import ts from "typescript";

const anyText = ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral;

/**
 * Refuses `table[key]` and `key in table` where `table` is an object literal and `key` may be any text: every object has
 * `constructor` and `__proto__`. Allowed: ownValue of src/core/own-value.ts, a Map, an object without a prototype, and a
 * key that the same function asks Object.hasOwn for. Needs types.
 */
export const ownKeys = {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      inherited: "{{key}} may be any text, such as constructor: use ownValue of core/own-value.ts, or a Map.",
    },
  },
  create(context) {
    const { sourceCode } = context;
    const { program, esTreeNodeToTSNodeMap } = sourceCode.parserServices;
    if (!program) return {};
    const checker = program.getTypeChecker();

    const isAnyText = (node) => {
      const type = checker.getTypeAtLocation(esTreeNodeToTSNodeMap.get(node));
      return ((checker.getBaseConstraintOfType(type) ?? type).flags & anyText) !== 0;
    };
    const isLiteral = (node) => {
      let symbol = checker.getSymbolAtLocation(esTreeNodeToTSNodeMap.get(node));
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      let value = symbol?.valueDeclaration?.initializer;
      while (
        value &&
        (ts.isAsExpression(value) || ts.isSatisfiesExpression(value) || ts.isParenthesizedExpression(value))
      )
        value = value.expression;
      if (!value || !ts.isObjectLiteralExpression(value)) return false;
      return !value.properties.some(({ name }) => name?.getText() === "__proto__");
    };
    const isGuarded = (node, object, key) => {
      const guard = `Object.hasOwn(${sourceCode.getText(object)}, ${sourceCode.getText(key)})`;
      let within = node;
      while (within && !/Function/u.test(within.type)) within = within.parent;
      return within ? sourceCode.getText(within).includes(guard) : false;
    };
    const check = (node, object, key) => {
      if (!isAnyText(key) || !isLiteral(object) || isGuarded(node, object, key)) return;
      context.report({ node, messageId: "inherited", data: { key: sourceCode.getText(key) } });
    };
    return {
      MemberExpression(node) {
        const isWritten = node.parent.type === "AssignmentExpression" && node.parent.left === node;
        if (node.computed && !isWritten && node.property.type !== "Literal") check(node, node.object, node.property);
      },
      "BinaryExpression[operator='in']"(node) {
        if (node.left.type !== "PrivateIdentifier") check(node, node.right, node.left);
      },
    };
  },
};
