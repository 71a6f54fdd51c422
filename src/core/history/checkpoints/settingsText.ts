import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';

const DEFAULT_INDENT = '  ';

type Path = readonly (string | number)[];

/**
 * JSON with one property or item behind the others of an object or array. It is written as its neighbours are: on lines of
 * its own, or on theirs. All else stays byte for byte. As it was when there is no such object or array.
 *
 * @param key null for an item of an array
 */
export function withAdded(text: string, path: Path, key: string | null, value: unknown): string {
  const container = nodeAt(text, path);
  if (container === null) return text;
  const name = key === null ? '' : JSON.stringify(key);
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const last = container.children?.at(-1);
  const end = last === undefined ? container.offset + 1 : endOf(last);
  const close = endOf(container) - 1;
  const comma = last === undefined ? '' : ',';
  if (last !== undefined && !text.slice(container.offset, close).includes('\n')) {
    const isTight = !/[,:] /u.test(text.slice(container.offset, close));
    const added = `${isTight ? '' : ' '}${name === '' ? '' : `${name}:${isTight ? '' : ' '}`}${JSON.stringify(value)}`;
    return text.slice(0, end) + comma + added + text.slice(end);
  }
  const indent = indentOf(text);
  const outer = /[ \t]*/uy.exec(text.slice(text.lastIndexOf('\n', container.offset) + 1))?.[0] ?? '';
  const inner = outer + indent;
  const written = JSON.stringify(value, null, indent).replaceAll('\n', eol + inner);
  const added = `${comma}${eol}${inner}${name === '' ? '' : `${name}: `}${written}`;
  const tail = last === undefined ? eol + outer + text.slice(close) : text.slice(end);
  return text.slice(0, end) + added + tail;
}

/** JSON without the property or item at a path: what `withAdded` added leaves no trace. */
export function withoutAt(text: string, path: Path): string {
  const value = nodeAt(text, path);
  const node = value?.parent?.type === 'property' ? value.parent : value;
  const siblings = node?.parent?.children;
  if (node?.parent === undefined || siblings === undefined) return text;
  const at = siblings.indexOf(node);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  if (before !== undefined) return text.slice(0, endOf(before)) + text.slice(endOf(node));
  if (after !== undefined) return text.slice(0, node.offset) + text.slice(after.offset);
  return text.slice(0, node.parent.offset + 1) + text.slice(endOf(node.parent) - 1);
}

/** JSON with another value at a path. */
export function withReplaced(text: string, path: Path, value: unknown): string {
  const node = nodeAt(text, path);
  if (node === null) return text;
  return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(endOf(node));
}

function nodeAt(text: string, path: Path): Node | null {
  const root = parseTree(text);
  return root === undefined ? null : (findNodeAtLocation(root, [...path]) ?? null);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** How far the first indented line is indented. */
function indentOf(text: string): string {
  return /^(?:\t|[ ]{1,8})(?=\S)/mu.exec(text)?.[0] ?? DEFAULT_INDENT;
}
