// Where src/ reads or writes a field, key or variable: what a test run may leave out there (see measure-fields.mjs).
import { join } from "node:path";
import ts from "typescript";

/**
 * @typedef {{ declaration: number, rest?: string[], names: string[] }} Target Where a row of docs/fields.md is left out
 * @returns {{ targets: Map<string, Target>, sites: Map<string, object[]> }} by row, and by file of src/
 */
export function findSites(root, entries) {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const isOurs = (name) => name.startsWith(join(root, "src/")) && !name.includes("/web/dashboard/browser/");
  const program = ts.createProgram(fileNames.filter(isOurs), { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => isOurs(fileName));
  const declarations = new Map();
  const numberOf = (node) => declarations.get(node) ?? declarations.set(node, declarations.size).get(node);

  const typeOfKind = typesByName(files, checker);
  const paths = new Map();
  for (const { section, name } of entries) {
    const type = typeOfKind.get(section);
    if (type === undefined) continue;
    const found = declarationsOn(type, name.split(/\.|(?=\[\])/u), checker);
    paths.set(`${section} ${name}`, found);
    for (const declaration of found) if (declaration !== undefined) numberOf(declaration);
  }
  const words = wordDeclarations(files, entries, checker);
  for (const node of words.values()) for (const declaration of node) numberOf(declaration);

  const sites = new Map();
  const seen = new Set();
  const context = { checker, declarations };
  for (const file of files) {
    if (file.fileName.includes("/generated/")) continue;
    const found = [];
    visit(file, (node) => {
      for (const site of [...objectSitesAt(node, checker), ...sitesAt(node, context)]) {
        found.push(site);
        for (const number of site.numbers) seen.add(number);
      }
    });
    if (found.length > 0) sites.set(file.fileName, found);
  }
  return { targets: targetsOf(entries, { paths, words, declarations, seen }), sites };
}

function typesByName(files, checker) {
  const found = new Map();
  for (const file of files) {
    if (!file.fileName.includes("/model/generated/")) continue;
    for (const statement of file.statements) {
      if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
        if (!found.has(statement.name.text)) found.set(statement.name.text, checker.getTypeAtLocation(statement.name));
      }
    }
  }
  return found;
}

/** The declaration of each part of a path; undefined for items and keys. */
function declarationsOn(root, parts, checker) {
  let type = root;
  const found = [];
  for (const part of parts) {
    type = checker.getNonNullableType(type);
    if (part === "[]" || part === "<key>") {
      type = part === "[]" ? type.getNumberIndexType() : type.getStringIndexType();
      found.push(undefined);
    } else {
      const symbol = checker.getPropertyOfType(type, part);
      found.push(symbol?.declarations?.[0]);
      type = symbol && checker.getTypeOfSymbol(symbol);
    }
    if (type === undefined) break;
  }
  return found;
}

/** Keys and names of variables: the constant that holds one, or the text itself where it stands by itself. */
function wordDeclarations(files, entries, checker) {
  const wanted = new Map(
    entries
      .filter(({ section }) => section === "Labels and annotations" || section === "Environment")
      .map(({ section, name }) => [name, `${section} ${name}`]),
  );
  const found = new Map();
  for (const file of files) {
    if (file.fileName.includes("/generated/")) continue;
    visit(file, (node) => {
      const id = ts.isStringLiteral(node) ? wanted.get(node.text) : undefined;
      if (id === undefined) return;
      const holder = ts.isAsExpression(node.parent) ? node.parent.parent : node.parent;
      const isProperty = ts.isPropertyAssignment(holder);
      const isConstant =
        (ts.isVariableDeclaration(holder) || isProperty) &&
        holder.name !== node &&
        checker.getSymbolAtLocation(holder.name) !== undefined;
      // A property may be a constant that others read, or a part of what is written here.
      found.set(id, [
        ...(found.get(id) ?? []),
        ...(isConstant ? [holder] : []),
        ...(isConstant && !isProperty ? [] : [node]),
      ]);
    });
  }
  return found;
}

/** The innermost part of each path that src/ names; what is below it is taken out of its value. */
function targetsOf(entries, { paths, words, declarations, seen }) {
  const targets = new Map();
  for (const { section, name } of entries) {
    const id = `${section} ${name}`;
    const numbers = (words.get(id) ?? []).map((node) => declarations.get(node)).filter((number) => seen.has(number));
    if (numbers.length > 0) targets.set(id, { numbers, rest: [] });
    const parts = name.split(/\.|(?=\[\])/u);
    const found = paths.get(id) ?? [];
    for (let index = found.length - 1; index >= 0; index -= 1) {
      const number = found[index] && declarations.get(found[index]);
      if (number === undefined || !seen.has(number) || (index === 0 && parts.length > 1)) continue;
      const rest = parts.slice(index + 1);
      targets.set(id, { numbers: [number], rest: rest.every((part) => part === "[]") ? [] : rest });
      break;
    }
  }
  return targets;
}

function visit(node, see) {
  ts.forEachChild(node, (child) => visit(child, see));
  see(node);
}

/** An object of Kubernetes whose parts are read: what is left out of its kind is left out of it. */
function objectSitesAt(node, checker) {
  const { expression, found } = readAt(node);
  if (expression === undefined || !found.some((name) => ["metadata", "spec", "status"].includes(name))) return [];
  const type = checker.getNonNullableType(checker.getTypeAtLocation(expression));
  if (!["apiVersion", "kind", "metadata"].every((name) => checker.getPropertyOfType(type, name))) return [];
  return [{ kind: "object", numbers: [], start: expression.getStart(), end: expression.end }];
}

function readAt(node) {
  // What an optional chain has begun must end with it.
  if (ts.isOptionalChain(node) && !node.questionDotToken) return { expression: undefined, found: [] };
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name)) {
    const found = node.name.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
    return { expression: node.initializer, found };
  }
  if (ts.isPropertyAccessExpression(node) && !isWritten(node)) {
    return { expression: node.expression, found: [node.name.text] };
  }
  if (ts.isElementAccessExpression(node) && !isWritten(node)) {
    return { expression: node.expression, found: [node.argumentExpression.text] };
  }
  return { expression: undefined, found: [] };
}

/** Children first: what surrounds them is written around what they became. */
function sitesAt(node, { checker, declarations }) {
  const numbersOf = (symbols) => {
    const found = symbols.flatMap((symbol) => symbol?.declarations ?? []).map((item) => declarations.get(item));
    return [...new Set(found.filter((number) => number !== undefined))];
  };
  const site = (kind, numbers, more) => (numbers.length === 0 ? [] : [{ kind, numbers, ...more }]);
  if (declarations.has(node) && ts.isStringLiteral(node)) {
    const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    return site(isName ? "name" : "word", [declarations.get(node)], { start: node.getStart(), end: node.end });
  }
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.name)) {
    const numbers = numbersOf([checker.getSymbolAtLocation(node.name)]);
    if (isWord(node, numbers, declarations)) return site("word", numbers, { start: node.getStart(), end: node.end });
    const start = node.questionDotToken?.getStart() ?? node.name.getStart() - 1;
    const { parent } = node;
    const isContinued =
      (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent) || ts.isCallExpression(parent)) &&
      parent.expression === node;
    const isRead = !isWritten(node);
    return site("access", numbers, {
      whole: node.getStart(),
      start,
      end: node.end,
      name: node.name.text,
      isOptional: node.questionDotToken !== undefined,
      isRead,
      continued:
        isContinued && !parent.questionDotToken && /\?\./u.test(node.getText())
          ? ts.isPropertyAccessExpression(parent)
            ? "."
            : "["
          : undefined,
    });
  }
  if (ts.isIdentifier(node) && isUse(node)) {
    const symbol = checker.getSymbolAtLocation(node);
    const target = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const numbers = numbersOf([target]);
    if (!isWord(node, numbers, declarations)) return [];
    const isShort = ts.isShorthandPropertyAssignment(node.parent);
    return isShort ? [] : site("word", numbers, { start: node.getStart(), end: node.end });
  }
  if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken) {
    const key = node.propertyName ?? node.name;
    if (!ts.isIdentifier(key)) return [];
    const owner = checker.getTypeAtLocation(node.parent);
    const numbers = numbersOf([checker.getPropertyOfType(checker.getNonNullableType(owner), key.text)]);
    return site("binding", numbers, {
      start: key.getStart(),
      end: key.end,
      name: key.text,
      isShort: !node.propertyName,
    });
  }
  if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && node.initializer !== undefined) {
    const parts = patternParts(node.name, [], { checker, numbersOf });
    const numbers = parts.flatMap(([found]) => found);
    return site("pattern", numbers, { start: node.initializer.getStart(), end: node.initializer.end, parts });
  }
  if ((ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && ts.isIdentifier(node.name)) {
    const isShort = ts.isShorthandPropertyAssignment(node);
    const numbers = numbersOf(propertiesIn(node.parent, node.name.text, checker)).filter(
      (number) => declarations.get(node) !== number,
    );
    return site("literal", numbers, {
      start: node.name.getStart(),
      end: node.name.end,
      name: node.name.text,
      isShort,
      value: isShort ? undefined : [node.initializer.getStart(), node.initializer.end],
    });
  }
  return [];
}

/** The fields that a pattern names, each with its path from the value that is taken apart. */
function patternParts(pattern, path, { checker, numbersOf }) {
  const owner = checker.getNonNullableType(checker.getTypeAtLocation(pattern));
  return pattern.elements.flatMap((element) => {
    const key = element.propertyName ?? element.name;
    if (element.dotDotDotToken || !ts.isIdentifier(key)) return [];
    const here = [...path, key.text];
    const numbers = numbersOf([checker.getPropertyOfType(owner, key.text)]);
    const below = ts.isObjectBindingPattern(element.name)
      ? patternParts(element.name, here, { checker, numbersOf })
      : [];
    return [...(numbers.length > 0 ? [[numbers, here]] : []), ...below];
  });
}

function isWord(node, numbers, declarations) {
  if (numbers.length === 0) return false;
  const [holder] = [...declarations].find(([, number]) => number === numbers[0]) ?? [];
  return (
    holder !== undefined && (ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder)) && !isWritten(node)
  );
}

function propertiesIn(literal, name, checker) {
  if (!ts.isObjectLiteralExpression(literal)) return [];
  const type = checker.getContextualType(literal);
  if (type === undefined) return [];
  const parts = type.isUnion() ? type.types : [type];
  return parts.map((part) => checker.getPropertyOfType(checker.getNonNullableType(part), name));
}

function isWritten(node) {
  const { parent } = node;
  if (ts.isDeleteExpression(parent)) return true;
  if (ts.isBinaryExpression(parent)) {
    const kind = parent.operatorToken.kind;
    return parent.left === node && kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
  }
  return ts.isPostfixUnaryExpression(parent) || ts.isPrefixUnaryExpression(parent);
}

/** False for names that are declared, imported or parts of a type. */
function isUse(node) {
  const { parent } = node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isTypeNode(parent)) return false;
  if (ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent)) return false;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return false;
  return !(parent.name === node && !ts.isShorthandPropertyAssignment(parent));
}
