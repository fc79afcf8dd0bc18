import { type ESTree, parseSync } from 'vite';

/** The way to a field: its name in each group, its number in each list from 0. */
export type Keys = readonly (string | number)[];

/**
 * Finds where a field stands in a file of the content.
 *
 * @returns the line, from 1; of a field that is missing, the line of the group that lacks it
 */
export function lineFinder(file: string, source: string): (name: string, keys: Keys) => number | undefined {
  const { program } = parseSync(file, source);
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  return (name, keys) => {
    let node = exported(program, name);
    let at = node?.start;
    for (const key of keys) {
      const child = childOf(node, key);
      if (!child) break;
      at = child.at;
      node = plain(child.value);
    }
    return at === undefined ? undefined : lineAt(at);
  };
}

function exported(program: ESTree.Program, name: string): ESTree.Expression | undefined {
  const variables = program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' && statement.declaration?.type === 'VariableDeclaration'
      ? statement.declaration.declarations
      : [],
  );
  const found = variables.find(({ id }) => id.type === 'Identifier' && id.name === name);
  return found?.init ? plain(found.init) : undefined;
}

/** Without what TypeScript says of a value, such as `as const`. */
function plain(value: ESTree.Expression): ESTree.Expression {
  return value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression'
    ? plain(value.expression)
    : value;
}

function childOf(
  node: ESTree.Expression | undefined,
  key: string | number,
): { at: number; value: ESTree.Expression } | undefined {
  if (node?.type === 'ArrayExpression') {
    const entry = node.elements[Number(key)];
    return entry && entry.type !== 'SpreadElement' ? { at: entry.start, value: entry } : undefined;
  }
  if (node?.type !== 'ObjectExpression') return undefined;
  for (const property of node.properties) {
    if (property.type !== 'Property') continue;
    const name = property.key.type === 'Identifier' ? property.key.name : undefined;
    const quoted = property.key.type === 'Literal' ? property.key.value : undefined;
    if ((name ?? quoted) !== key) continue;
    const value = property.value as ESTree.Expression;
    // Words may begin on the line after the name of their field.
    return { at: value.type === 'Literal' ? value.start : property.start, value };
  }
  return undefined;
}
