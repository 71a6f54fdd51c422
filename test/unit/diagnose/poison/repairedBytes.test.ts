import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Node, parseTree } from 'jsonc-parser';
import { createEngine } from '../../../../src/core/engine';
import type { RepairEdit } from '../../../../src/protocol/repair';
import { type PoisonClass, poisonedAtRandom } from '../../../poison/poisonRows';
import { listPoisonCases } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { createRandom, type Random } from '../../../support/random';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

/** JSON.parse reads another number. */
const LARGE = '12345678901234567890';

/** A session as no program writes it: white space, escapes, numbers that JSON.parse does not keep, and keys that occur twice. */
function writtenOddly(text: string, random: Random): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => `${oddly(JSON.parse(line), random, 0)}\n`).join('');
}

function oddly(value: unknown, random: Random, depth: number): string {
  const gap = (): string => random.pick(['', '', '', ' ', '  ', '\t']);
  if (typeof value === 'string') return oddString(value, random);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((each) => `${gap()}${oddly(each, random, depth + 1)}${gap()}`).join(',')}]`;
  }
  const members = Object.entries(value).flatMap(([key, each]): string[] => {
    const name = `${gap()}${JSON.stringify(key)}${gap()}:${gap()}`;
    const member = `${name}${oddly(each, random, depth + 1)}${gap()}`;
    // The last one counts.
    const isTwice = depth > 0 && random.chance(0.15);
    const free = key === 'input' || key === 'toolUseResult' || key === 'usage';
    const isObject = typeof each === 'object' && each !== null && !Array.isArray(each);
    const rich = free && isObject ? member.replace('{', `{"large":${LARGE},"path":"a\\/b \\u00e9",`) : member;
    const whole = rich.replace(/,\s*\}(\s*)$/, '}$1');
    return isTwice ? [`${name}"before \\u00e9"${gap()}`, whole] : [whole];
  });
  return `{${members.join(',')}}`;
}

function oddString(text: string, random: Random): string {
  return JSON.stringify(text).replace(/[a-z/](?![^\\]*\\u)/g, (char, at: number, all: string) => {
    if (all[at - 1] === '\\' || !random.chance(0.05)) return char;
    return char === '/' ? '\\/' : `\\u00${char.charCodeAt(0).toString(16)}`;
  });
}

type Edit = Pick<RepairEdit, 'field' | 'from' | 'to'>;

/** A row without what edits name, as it was and as it is: the rest has to be the same, byte for byte. */
function remainders(before: string, after: string, edits: readonly Edit[]): readonly [string, string] {
  const parts = edits.map(({ field }) => field.split('.'));
  const isRemoved = edits.map(({ to }) => to === null);
  return [
    withoutRemoved(masked(before, parts, isRemoved, after)),
    withoutRemoved(
      masked(
        after,
        parts.filter((_, at) => !isRemoved[at]),
        [],
        before,
      ),
    ),
  ];
}

const CHANGED = '§';
const REMOVED = '¤';
const ADDED = '¢';

function masked(
  text: string,
  paths: readonly (readonly string[])[],
  isRemoved: readonly boolean[],
  other: string,
): string {
  const ranges = paths.flatMap((path, at) => {
    const nodes = nodesAt(text, path);
    // Members with the same key are removed one after the other, from the last one on.
    const isSame = (each: readonly string[]): boolean => each.join('.') === path.join('.');
    if (isRemoved[at]) {
      const removed = nodes.at(-1 - paths.slice(0, at).filter(isSame).length);
      return removed === undefined ? [] : [{ ...memberOf(removed), by: REMOVED }];
    }
    const node = nodes.at(-1);
    if (node === undefined) return [];
    const isAdded = nodesAt(other, path).length === 0;
    return [isAdded ? { ...memberOf(node), by: ADDED } : { offset: node.offset, length: node.length, by: CHANGED }];
  });
  let result = text;
  for (const { offset, length, by } of ranges.toSorted((a, b) => b.offset - a.offset)) {
    result = result.slice(0, offset) + by + result.slice(offset + length);
  }
  return result;
}

/** Of several members with one key, all. */
function nodesAt(text: string, path: readonly string[]): readonly Node[] {
  let nodes: readonly Node[] = [parseTree(text)].flatMap((node) => node ?? []);
  for (const key of path) {
    const node = nodes.at(-1);
    const children = node?.children ?? [];
    nodes =
      node?.type === 'array'
        ? [children[Number(key)]].flatMap((each) => each ?? [])
        : children.flatMap(({ children: pair }) => (pair?.[0]?.value === key ? (pair[1] ?? []) : []));
  }
  return nodes;
}

function memberOf(node: Node): { readonly offset: number; readonly length: number } {
  const { offset, length } = node.parent?.type === 'property' ? node.parent : node;
  return { offset, length };
}

/** A member goes with one comma and the white space around that, and comes with a comma alone. */
function withoutRemoved(text: string): string {
  let rest = text.replaceAll(`,${ADDED}`, '').replaceAll(`${ADDED},`, '').replaceAll(ADDED, '');
  while (rest.includes(REMOVED)) {
    const shorter = rest.replace(/¤\s*,\s*/, '');
    rest = shorter === rest ? rest.replace(/\s*,\s*¤|¤/, '') : shorter;
  }
  return rest;
}

/** The session before and after a plain repair, by lines, and the edits of the messages. */
interface Repaired {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly edits: ReadonlyMap<number, readonly RepairEdit[]>;
  /** What is in the folder for content that edits take out. */
  readonly kept: readonly string[];
}

function repaired(text: string): Promise<Repaired> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, text);
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const { result, problem } = await engine.repair(filePath);
    assert.deepEqual([result.status, problem], ['repaired', null]);
    const after = await readFile(filePath, 'latin1');
    const removed = join(folder, '44444444-4444-4444-8444-444444444444', 'removed');
    const names = await readdir(removed).catch(() => []);
    const kept = await Promise.all(names.map((name) => readFile(join(removed, name), 'latin1')));
    assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
    assert.equal(await readFile(filePath, 'utf8'), text);
    const edits = new Map<number, RepairEdit[]>();
    for (const edit of result.edits) edits.set(edit.line, [...(edits.get(edit.line) ?? []), edit]);
    return { before: Buffer.from(text).toString('latin1').split('\n'), after: after.split('\n'), edits, kept };
  });
}

const CLASSES: readonly PoisonClass[] = [
  ...(['tool-input', 'tool-names', 'tool-result', 'mcp-type', 'block-type', 'extra-field', 'cache-control'] as const),
  ...(['empty-text', 'empty-content', 'thinking', 'tool-pairing'] as const),
];

describe('A repair of a message', () => {
  for (const code of CLASSES) {
    it(`leaves every byte as it is written but those of the values that it names: ${code}`, async function () {
      this.timeout(60_000);
      for (let seed = 1; seed <= 6; seed++) {
        const text = writtenOddly(poisonedAtRandom(code, seed), createRandom(seed));
        const { before, after, edits } = await repaired(text);
        assert.equal(after.length, before.length);
        for (const [at, row] of before.entries()) {
          const ofRow = edits.get(at + 1) ?? [];
          const isOrder = ofRow.some(({ field, from }) => field === 'message.content' && Array.isArray(from));
          const [was, is] = isOrder
            ? [withoutElements(row), withoutElements(after[at] ?? '')]
            : remainders(row, after[at] ?? '', ofRow);
          assert.equal(is, was, `seed ${seed}, line ${at + 1}`);
        }
      }
    });
  }

  const healthy = listPoisonCases().find(({ name }) => name === 'h0-healthy')?.text ?? '';
  const RESULT = '"content":"ALPHA","is_error":false';

  for (const input of [LARGE, `"a\\/b \\u00e9"`, `[ 1.0,${LARGE} ,\t"\\u00e9"]`, '1E5', '-0']) {
    it(`puts the input of a call into an object as it is written: ${input}`, async () => {
      const { after } = await repaired(healthy.replace('"input":{"command":"cat a.txt"}', `"input":${input}`));
      assert.ok(after.join('\n').includes(`"input":{"value":${input}}`));
    });
  }

  const odd = `{"type":"odd", "n":${LARGE},"t":"a\\/b \\u00e9","n":1.0}`;

  it('quotes a block as it is written', async () => {
    const { after } = await repaired(healthy.replace(RESULT, `"content":[${odd}],"is_error":false`));
    const text = JSON.stringify({ type: 'text', text: odd });
    assert.ok(after.join('\n').includes(`"content":[${text}],"is_error":false`));
  });

  it('keeps a long block in a file as it is written', async () => {
    const long = odd.replace('1.0', `[${'1.0, '.repeat(1000)}2]`);
    const { kept } = await repaired(healthy.replace(RESULT, `"content":[${long}],"is_error":false`));
    assert.deepEqual(kept, [long]);
  });

  it('leaves the other fields of an empty text in a result', async () => {
    const empty = (text: string): string => `"content":[{"type":"text" ,"citations":[${LARGE}], "text":"${text}"}]`;
    const { after } = await repaired(healthy.replace('"content":"ALPHA"', empty('')));
    assert.ok(after.join('\n').includes(empty('[no output]')));
  });
});

/** What is between the blocks of a row. */
function withoutElements(row: string): string {
  const content = nodesAt(row, ['message', 'content']).at(-1);
  let result = row;
  for (const { offset, length } of (content?.children ?? []).toReversed()) {
    result = result.slice(0, offset) + CHANGED + result.slice(offset + length);
  }
  return result;
}
